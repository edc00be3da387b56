// What the reader opened and focused in a live round goes on in the server's HTML of that round.

const DETAILS = "details.reasoning, details.call";

// Opens in `fresh`, not yet shown, what is open in `live`. The function that it returns gives the
// focus back once `fresh` is shown; null if `live` does not have it.
export function keepReaderState(document, live, fresh) {
  let focusAgain = null;
  for (const details of live.querySelectorAll(DETAILS)) {
    const wanted = sameIn(fresh, details);
    if (!wanted) continue;
    if (details.open) wanted.open = true;
    const summary = wanted.querySelector(":scope > summary");
    if (details.contains(document.activeElement)) {
      focusAgain = () => summary.focus({ preventScroll: true });
    }
  }
  return focusAgain;
}

// A call by its number, the reasoning as the only one of its round.
function sameIn(fresh, details) {
  const call = details.closest("[data-call]");
  if (!call) return fresh.querySelector(":scope > details.reasoning");
  return fresh.querySelector(`[data-call="${CSS.escape(call.dataset.call)}"] > details.call`);
}
