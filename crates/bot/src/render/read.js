(address, most) => {
  const all = (root) => Array.from(root.querySelectorAll("*"));
  const flatten = (elements) => {
    for (const element of elements) {
      const shadow = element.shadowRoot;
      if (shadow) {
        flatten(all(shadow));
        Element.prototype.prepend.call(element, ...Array.from(shadow.childNodes));
      }
    }
  };
  const root = document.documentElement;
  if (!root) return "";
  flatten([root, ...all(root)]);
  const base = document.baseURI;
  let mark = "";
  if (base !== address && !root.querySelector("base[href]")) {
    const element = document.createElement("base");
    element.href = base;
    mark = element.outerHTML;
  }
  return ("<!DOCTYPE html>" + mark + root.outerHTML).slice(0, most);
}
