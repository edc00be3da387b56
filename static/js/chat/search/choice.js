// Which results are chosen, and where the arrow keys go. No DOM.

// The place of the link to go to, from the one at `at` (-1: from the search field). -1: the field.
export function moved(key, at, count) {
  if (count === 0) return -1;
  if (key === "ArrowDown") return Math.min(count - 1, at + 1);
  if (key === "ArrowUp") return at - 1 < -1 ? -1 : at - 1;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : at;
}

// What a key press on the page asks for; null for nothing of ours.
export function keyOf({ key, ctrlKey, metaKey, altKey }, { isField, isQuery }) {
  if (ctrlKey || metaKey || altKey) return null;
  if (key === "ArrowDown" && (isQuery || !isField)) return "move";
  if (isField) return null;
  return { ArrowUp: "move", Home: "move", End: "move", x: "choose", "/": "query", "?": "help", Escape: "query" }[key] ?? null;
}

// The address of a search: its filters without those that are empty.
export function addressOf(pairs) {
  return new URLSearchParams([...pairs].filter(([, value]) => value !== "")).toString();
}
