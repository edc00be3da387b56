// The place that the page's address names, as links from a trace do: #turn-…, #round-…, #call-….

import { turnOf } from "./place_names.js";

const MOST_PAGES = 20;

// Scrolls there and marks it; fetches earlier turns until it is there. False if no place is named.
export function goToPlace(document, follower, showEarlier) {
  const { hash } = document.location;
  if (turnOf(hash) === null && !hash.startsWith("#call-")) return false;
  const go = () => find(document, document.location.hash.slice(1), showEarlier);
  follower.leave();
  addEventListener("hashchange", go);
  // The browser's own way to the place takes the focus away again when the page is complete.
  if (document.readyState === "complete") go();
  else addEventListener("load", () => setTimeout(go), { once: true });
  return true;
}

async function find(document, id, showEarlier) {
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    // A round that is folded away is in its turn.
    const found = document.getElementById(id) ?? document.getElementById(`turn-${turnOf(`#${id}`)}`);
    if (found) return show(document, found);
    if (!(await showEarlier())) return;
  }
}

function show(document, element) {
  for (const marked of document.querySelectorAll("[data-found]")) delete marked.dataset.found;
  element.dataset.found = "";
  // Of a subagent's call the rounds are what was looked for.
  const card = element.querySelector(":scope > details:has(> .call-body > [data-subagent])");
  if (card) card.open = true;
  element.scrollIntoView({ block: "center" });
  const focus = element.querySelector("summary, a, button") ?? element;
  focus.focus({ preventScroll: true });
}
