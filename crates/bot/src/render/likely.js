(most) => {
  const found = [];
  const named =
    "button, summary, input[type=button], input[type=submit], input[type=image], [onclick], " +
    "[role=button], [role=link], [role=tab], [role=menuitem], a:not([href]), a[href^='#'], " +
    "a[href^='javascript:' i]";
  for (const element of document.querySelectorAll(named)) {
    if (found.length >= most) return found;
    found.push(element);
  }
  let looked = 0;
  for (const element of document.querySelectorAll("body *")) {
    if (found.length >= most || ++looked > 2000) break;
    const parent = element.parentElement;
    const hand = getComputedStyle(element).cursor === "pointer";
    if (hand && parent && getComputedStyle(parent).cursor !== "pointer" && !element.matches(named)) {
      found.push(element);
    }
  }
  return found;
}
