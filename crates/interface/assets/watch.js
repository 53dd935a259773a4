// Keeps a page about watches up to date while somebody looks at one. The server draws everything: the same page is
// fetched again, and what has changed is put in its place, but not under somebody's hands.

const BETWEEN = 1500;

const inUse = (part) => part.matches(":hover") || part.contains(document.activeElement);

const isLive = (page) => page.querySelector('[data-live="true"]') !== null;

async function refresh() {
  let again = true;
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    // A page that a form was sent to cannot be fetched.
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    again = isLive(page);
    for (const fresh of page.querySelectorAll("[data-part]")) {
      const part = document.querySelector(`[data-part="${fresh.dataset.part}"]`);
      if (!part) continue;
      if ("live" in fresh.dataset) part.dataset.live = fresh.dataset.live;
      if (part.innerHTML === fresh.innerHTML) continue;
      if (inUse(part)) again = true;
      else part.replaceChildren(...fresh.childNodes);
    }
  } catch {
    // The server may be there again in a moment.
  }
  if (again) setTimeout(refresh, BETWEEN);
}

if (isLive(document)) setTimeout(refresh, BETWEEN);
