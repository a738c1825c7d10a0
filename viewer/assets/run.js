// The page of a run: a click on a step opens its panel in place, and what is below a
// step can be folded away.
"use strict";

const panel = document.getElementById("panel");
const folded = new Set(); // places

const rows = () => document.querySelectorAll("table.fall tbody tr");
const placeOf = row => row.dataset.place;

// open shows the panel of a step.
async function open(row, focus) {
  for (const other of rows()) other.toggleAttribute("aria-selected", false);
  row.setAttribute("aria-selected", "true");
  const place = placeOf(row);
  history.replaceState(null, "", row.querySelector("a.step").href);
  await fill(place);
  if (focus || matchMedia("(max-width: 1000px)").matches) panel.focus();
  if (matchMedia("(max-width: 1000px)").matches) panel.scrollIntoView({ block: "start" });
}

async function fill(place) {
  const answer = await fetch(panel.dataset.panel + "&step=" + encodeURIComponent(place));
  const text = await answer.text();
  const fresh = new DOMParser().parseFromString(text, "text/html");
  const part = answer.ok ? fresh.body : fresh.querySelector("main");
  if (new URLSearchParams(location.search).get("step") !== place) return; // another was chosen meanwhile
  if (part.innerHTML === panel.served) return;
  panel.served = part.innerHTML;
  panel.replaceChildren(...part.childNodes);
}

// fold shows or hides what is below each step.
function fold() {
  let hidden = null; // the place below which all is hidden
  for (const row of rows()) {
    const place = placeOf(row);
    if (hidden && place.startsWith(hidden + ".")) { row.hidden = true; continue; }
    hidden = folded.has(place) ? place : null;
    row.hidden = false;
    if (row.hasAttribute("aria-expanded")) row.setAttribute("aria-expanded", String(!folded.has(place)));
  }
}

document.addEventListener("click", event => {
  const row = event.target.closest("table.fall tbody tr");
  if (!row || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = event.target.closest("a");
  if (link && !link.classList.contains("step")) return;
  event.preventDefault();
  open(row, event.detail === 0); // by keyboard
});

document.addEventListener("keydown", event => {
  const row = event.target.closest && event.target.closest("table.fall tbody tr");
  if (event.key === "Escape" && panel.contains(document.activeElement)) {
    const chosen = document.querySelector("tr[aria-selected] a.step");
    if (chosen) chosen.focus();
  }
  if (!row || !row.hasAttribute("aria-expanded")) return;
  if (event.key === "ArrowLeft") folded.add(placeOf(row));
  else if (event.key === "ArrowRight") folded.delete(placeOf(row));
  else return;
  event.preventDefault();
  fold();
});

document.addEventListener("refreshed", event => {
  fold();
  const place = new URLSearchParams(location.search).get("step");
  const now = event.detail.getElementById("panel");
  if (place) fill(place);
  else if (now && now.innerHTML !== panel.served) { panel.served = now.innerHTML; panel.replaceChildren(...now.childNodes); }
});
