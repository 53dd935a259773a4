// Keeps the page of a hunt up to date. The server draws every view; when the stream of events says that something
// happened, the same page is fetched again and what has changed is put in its place. What somebody points at or
// works in is left alone, and a button offers what is new instead.

const hunt = document.getElementById("hunt");
const wire = document.getElementById("wire");
const news = document.getElementById("news");
const BETWEEN = 1000;

let due = false;
let busy = false;
let last = 0;
let held = 0;

const say = (words) => {
  if (wire.textContent !== words) wire.textContent = words;
};

/** Whether somebody is at work in there. */
const inUse = (part) => part.matches(":hover") || part.contains(document.activeElement);

/** Puts what the server draws now in the place of what it drew before. */
function renew(part, fresh) {
  if (part.innerHTML === fresh.innerHTML) return;
  const open = new Set([...part.querySelectorAll("details[open][data-key]")].map((one) => one.dataset.key));
  part.replaceChildren(...fresh.childNodes);
  for (const one of part.querySelectorAll("details[data-key]")) one.open = open.has(one.dataset.key);
}

async function refresh(force) {
  if (busy) return;
  busy = true;
  due = false;
  last = Date.now();
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    held = 0;
    for (const fresh of page.querySelectorAll("[data-part]")) {
      const part = document.querySelector(`[data-part="${fresh.dataset.part}"]`);
      if (!part || part.innerHTML === fresh.innerHTML) continue;
      const hold = part.hasAttribute("data-hold") || fresh.dataset.part === "head";
      if (!force && hold && inUse(part)) {
        if (fresh.dataset.part === "view") held += 1;
        continue;
      }
      renew(part, fresh);
    }
    news.hidden = held === 0;
  } finally {
    busy = false;
    // Something happened meanwhile.
    if (due) {
      due = false;
      soon();
    }
  }
}

function soon() {
  if (due) return;
  due = true;
  setTimeout(() => refresh(false), Math.max(0, last + BETWEEN - Date.now()));
}

news?.querySelector("button").addEventListener("click", () => {
  news.hidden = true;
  refresh(true);
});

// Whoever leaves the view that was held sees it as it is now.
document.querySelector('[data-part="view"]')?.addEventListener("pointerleave", () => held > 0 && soon());

function watch() {
  const source = new EventSource(`/api/v1/hunts/${hunt.dataset.id}/events?after=${hunt.dataset.after}`);
  source.addEventListener("open", () => say(hunt.dataset.wordsLive));
  source.addEventListener("error", () => say(hunt.dataset.wordsCut));
  source.addEventListener("log", (event) => {
    const lines = JSON.parse(event.data);
    hunt.dataset.seen = String(Number(hunt.dataset.seen ?? 0) + lines.length);
    // Whoever else wants to see events as they come, as map.js does, hears them from the document.
    document.dispatchEvent(new CustomEvent("hunt-events", { detail: lines }));
    soon();
  });
  source.addEventListener("status", soon);
  source.addEventListener("end", () => {
    source.close();
    say("");
    soon();
  });
}

if (hunt.dataset.live === "true") watch();
