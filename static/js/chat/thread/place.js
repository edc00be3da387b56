// The place that the page's address names, as links from a trace and from the search do.

import { markWords } from "./found_words.js";
import { messageOf, turnOf } from "./place_names.js";

const MOST_PAGES = 200;

// Scrolls there and marks it; fetches the turns around it if they are not on the page. `missing` is
// called if it is not there.
export function goToPlace(document, gaps, missing) {
  const go = async () => {
    const words = new URLSearchParams(document.location.search).get("find") ?? "";
    if (!(await showPlace(document, document.location.hash, gaps, words))) missing();
    gaps.watch();
  };
  addEventListener("hashchange", go);
  // The browser's own way to the place takes the focus away again when the page is complete.
  if (document.readyState === "complete") go();
  else addEventListener("load", () => setTimeout(go), { once: true });
}

// Scrolls to a place, marks it and the words in it, and gives it the focus unless `keepsFocus`; what
// is not on the page is fetched. True if it is shown, and if a request failed, which the person has
// been told.
export async function showPlace(document, hash, gaps, words, { keepsFocus = false } = {}) {
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const element = placeOf(document, hash);
    if (element) {
      show(document, element, words);
      if (!keepsFocus) focusOn(element);
      return true;
    }
    const outcome = await fetchPlace(turnOf(hash), gaps);
    if (outcome !== "filled") return outcome === "failed";
  }
  return false;
}

// The turns around a turn; of a place whose turn is not known, more and more of those before.
async function fetchPlace(turn, gaps) {
  for (const gap of gaps.all) {
    const outcome = await gaps.fill(gap, turn);
    if (outcome !== "absent") return outcome;
  }
  return "absent";
}

// What is folded away (a round of many, a message in it) is in its turn.
function placeOf(document, hash) {
  const message = messageOf(hash);
  const exact = message
    ? document.querySelector(`[data-message="${message}"]`)
    : document.getElementById(hash.slice(1));
  return exact ?? document.getElementById(`turn-${turnOf(hash)}`);
}

// The first thing to press in it; a message is read first.
function focusOn(element) {
  const isMessage = element.hasAttribute("data-message");
  if (isMessage) element.tabIndex = -1;
  const focus = isMessage ? element : (element.querySelector("summary, a, button") ?? element);
  focus.focus({ preventScroll: true });
}

function show(document, element, words) {
  for (const marked of document.querySelectorAll("[data-found]")) delete marked.dataset.found;
  element.dataset.found = "";
  // Of a subagent's call the rounds are what was looked for.
  const card = element.querySelector(":scope > details:has(> .call-body > [data-subagent])");
  if (card) card.open = true;
  (markWords(document, element, words) ?? element).scrollIntoView({ block: "center" });
}
