// Keys for all pages: / to the search box, j and k from result to result, o opens one, n and p turn pages,
// ? tells about them.

const box = document.querySelector('input[type="search"]');

const results = () => [...document.querySelectorAll(".result h2 a, .prey .page a, .hunt-list a")];

/** Moves the focus by so many results. */
function move(by) {
  const all = results();
  if (all.length === 0) return;
  const at = all.indexOf(document.activeElement);
  const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by));
  all[next].focus();
}

/** Follows a link that is there, and nothing else. */
const follow = (selector) => document.querySelector(selector)?.click();

const help = document.getElementById("keys");

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  if ((event.key === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !typing)) {
    if (!box) return;
    event.preventDefault();
    box.focus();
    box.select();
    return;
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  switch (event.key) {
    case "j": move(1); break;
    case "k": move(-1); break;
    case "o": document.activeElement?.matches("a") && document.activeElement.click(); break;
    case "n": follow('a[rel="next"]'); break;
    case "p": follow('a[rel="prev"]'); break;
    case "?": help?.open ? help.close() : help?.showModal?.(); break;
    default: return;
  }
  event.preventDefault();
});
