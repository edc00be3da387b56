// What keys mean on the trace page. No DOM.

const KEYS = new Map([
  ["ArrowLeft", "back"],
  ["ArrowRight", "forward"],
  [" ", "play"],
  ["[", "previous"],
  ["]", "next"],
  ["Home", "first"],
  ["End", "last"],
  ["j", "row-down"],
  ["k", "row-up"],
  ["<", "slower"],
  [">", "faster"],
  ["?", "shortcuts"],
  ["Escape", "rest"],
]);
const SCROLLS = ["Home", "End", " "];

// The deed that a key press asks for, or null. `inside` is where the focus is: in a "field" all keys
// are the field's, in a "scroller" those that scroll it, on a "control" those that press it.
export function deedOf({ key, altKey, ctrlKey, metaKey, shiftKey, isComposing }, inside) {
  if (altKey || ctrlKey || metaKey || isComposing || inside === "field") return null;
  if (shiftKey && !["<", ">", "?"].includes(key)) return null;
  if (inside === "scroller" && SCROLLS.includes(key)) return null;
  if (inside === "control" && key === " ") return null;
  return KEYS.get(key) ?? null;
}
