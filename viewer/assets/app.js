// What all pages share: following what happens, and the keyboard.
"use strict";

// refresh puts what has changed on the server into the page. What a person has
// opened, typed or is at stays as it is.
async function refresh() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const at = whereFocusIs();
  for (const part of document.querySelectorAll("[data-live]")) {
    const now = fresh.getElementById(part.id);
    if (!now || now.innerHTML === part.served || typing(part)) continue;
    part.served = now.innerHTML;
    part.replaceChildren(...now.childNodes);
  }
  at();
  document.dispatchEvent(new CustomEvent("refreshed", { detail: fresh }));
}

const typing = part => [...part.querySelectorAll("textarea")].some(t => t.value !== "" || t === document.activeElement);

// whereFocusIs returns what brings the focus back there.
function whereFocusIs() {
  const link = document.activeElement && document.activeElement.getAttribute("href");
  return () => {
    if (link && document.activeElement === document.body) {
      const again = document.querySelector(`a[href="${CSS.escape(link)}"]`);
      if (again) again.focus({ preventScroll: true });
    }
  };
}

// follow refreshes the page when its server says that there is something new, not
// more than once in a while, and not while nobody looks.
function follow(url) {
  const sign = document.getElementById("live");
  let due = false, busy = false;
  const work = async () => {
    if (!due || busy || document.hidden) return;
    due = false;
    busy = true;
    try { await refresh(); } catch { due = true; } // the server is away: it is tried again
    setTimeout(() => { busy = false; work(); }, 500);
  };
  const events = new EventSource(url);
  events.onopen = () => { sign.hidden = false; sign.className = "live"; sign.textContent = "live"; };
  events.onerror = () => { sign.hidden = false; sign.className = "live lost"; sign.textContent = "not connected"; };
  events.onmessage = () => { due = true; work(); };
  document.addEventListener("visibilitychange", work);
  setInterval(() => { due = true; work(); }, 30000); // "3 s ago" gets old
}

// keys moves through the rows of a table.
function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const typingNow = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key === "/" && !typingNow) {
    const search = document.getElementById("q");
    if (search) { event.preventDefault(); search.focus(); search.select(); }
    return;
  }
  if (typingNow) return;
  const way = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  const table = document.querySelector("table[data-keys]");
  if (!way || !table) return;
  if (event.key.startsWith("Arrow") && event.target !== document.body && !table.contains(event.target)) return;
  const links = [...table.querySelectorAll("tbody tr:not([hidden]) td:first-child a:first-of-type")];
  const at = links.indexOf(document.activeElement);
  const next = links[at < 0 ? 0 : at + way];
  if (next) { event.preventDefault(); next.focus(); }
}

document.addEventListener("keydown", keys);
if (document.body.dataset.follow) follow(document.body.dataset.follow);
