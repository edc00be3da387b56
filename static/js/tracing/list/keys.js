// The keys of the list of traces. No DOM.

const KEYS = { j: "next", k: "previous", x: "choose", "/": "search", "?": "help" };

// What a key press asks for; null for nothing of ours.
export function keyOf({ key, ctrlKey, metaKey, altKey }, isField) {
  if (ctrlKey || metaKey || altKey || isField) return null;
  return KEYS[key] ?? null;
}

// The place of the row to go to, from the one at `at` (-1: from none).
export function moved(name, at, count) {
  if (count === 0) return -1;
  if (at < 0) return name === "next" ? 0 : count - 1;
  return Math.min(count - 1, Math.max(0, at + (name === "next" ? 1 : -1)));
}
