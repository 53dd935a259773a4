function () {
  const root = document.documentElement;
  if (!(this instanceof HTMLElement || this instanceof SVGElement)) return false;
  if (!this.isConnected || this === root || this === document.body || this.disabled) return false;
  const link = this.closest("a[href], area[href]");
  if (link && /^https?:/.test(String(link.protocol))) {
    const plain = (address) => String(address).split("#")[0];
    if (plain(link.href) !== plain(location.href)) return false;
  }
  const options = { bubbles: true, cancelable: true, composed: true, view: window };
  for (const name of ["pointerdown", "mousedown", "pointerup", "mouseup"]) {
    this.dispatchEvent(new MouseEvent(name, options));
  }
  if (this instanceof HTMLElement) {
    HTMLElement.prototype.click.call(this);
  } else {
    this.dispatchEvent(new MouseEvent("click", options));
  }
  return true;
}
