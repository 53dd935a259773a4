// Suggestions below the search box, while somebody types. A combobox as ARIA describes it: the focus stays in the box,
// the arrows choose, Enter searches, Escape takes it back. Without this file the box is a box.

const box = document.querySelector("input[data-suggestions]");

/** Milliseconds without a key before the server is asked, and letters that it is asked for. */
const PAUSE = 120;
const LEAST = 2;
const MOST = 400;

const list = document.createElement("ul");
/** What was typed, beside what the box shows of the list. */
let typed = "";
let at = -1;
let timer = 0;
let asked = null;

function close() {
  clearTimeout(timer);
  asked?.abort();
  list.hidden = true;
  at = -1;
  box.setAttribute("aria-expanded", "false");
  box.removeAttribute("aria-activedescendant");
}

/** Shows what the query may become, as text. */
function show(queries) {
  list.replaceChildren(...queries.map((query, number) => {
    const option = document.createElement("li");
    option.id = `suggestion-${number}`;
    option.setAttribute("role", "option");
    option.setAttribute("aria-selected", "false");
    option.dir = "auto";
    option.textContent = query;
    return option;
  }));
  at = -1;
  box.removeAttribute("aria-activedescendant");
  list.hidden = queries.length === 0;
  box.setAttribute("aria-expanded", String(!list.hidden));
}

async function ask() {
  asked?.abort();
  asked = new AbortController();
  const { signal } = asked;
  try {
    const answer = await fetch(`/api/v1/complete?q=${encodeURIComponent(typed)}`, { signal });
    const [query, queries] = answer.ok ? await answer.json() : [typed, []];
    // Whoever went on typing, or left, wants nothing of this any more.
    if (signal.aborted || query !== box.value || document.activeElement !== box) return;
    show(queries.filter((other) => other !== typed));
  } catch {
    if (!signal.aborted) close();
  }
}

/** Goes from what was typed through the list and back to it. */
function move(by) {
  const options = [...list.children];
  const places = options.length + 1;
  at = ((at + 1 + by + places) % places) - 1;
  options.forEach((option, number) => option.setAttribute("aria-selected", String(number === at)));
  if (at < 0) {
    box.removeAttribute("aria-activedescendant");
    box.value = typed;
    return;
  }
  box.setAttribute("aria-activedescendant", options[at].id);
  options[at].scrollIntoView({ block: "nearest" });
  box.value = options[at].textContent;
}

function onKey(event) {
  if (event.isComposing || list.hidden) return;
  switch (event.key) {
    case "ArrowDown": move(1); break;
    case "ArrowUp": move(-1); break;
    case "Escape": box.value = typed; close(); break;
    case "Enter": case "Tab": close(); return;
    default: return;
  }
  event.preventDefault();
}

if (box) {
  list.id = "suggestions";
  list.className = "suggestions";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", box.dataset.suggestions);
  box.form.append(list);
  box.setAttribute("role", "combobox");
  box.setAttribute("aria-autocomplete", "list");
  box.setAttribute("aria-controls", list.id);
  box.setAttribute("aria-expanded", "false");
  box.addEventListener("keydown", onKey);
  box.addEventListener("blur", close);
  box.addEventListener("input", (event) => {
    typed = box.value;
    clearTimeout(timer);
    asked?.abort();
    if (event.isComposing) return;
    if (typed.trim().length < LEAST || typed.length > MOST) return close();
    timer = setTimeout(ask, PAUSE);
  });
  // The focus stays in the box.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = event.target.closest("li");
    if (!option) return;
    box.value = option.textContent;
    close();
    box.form.requestSubmit();
  });
}
