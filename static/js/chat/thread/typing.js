// What keys mean. No DOM: events are looked at, not acted upon.

// The key code that browsers give to keys which an input method has taken; Safari reports the
// Enter that ends a composition so, and as no longer composing.
const TAKEN_BY_INPUT_METHOD = 229;

// Enter sends, or with the sending key "ctrl_enter" only Ctrl+Enter (⌘ Enter); with Shift it breaks the
// line; while Chinese (or other) input is composed it chooses a candidate.
export function sendsOn(event, sendingKey = "enter") {
  if (event.key !== "Enter" || event.shiftKey || event.altKey) return false;
  if (sendingKey === "ctrl_enter" && !event.ctrlKey && !event.metaKey) return false;
  return !event.isComposing && event.keyCode !== TAKEN_BY_INPUT_METHOD;
}

// By a letter alone, outside of fields.
const KEYS = {
  "?": "shortcuts",
  "/": "message",
  w: "waiting",
  q: "queue",
  e: "edit",
  r: "regenerate",
  "[": "before",
  "]": "after",
};

// The page's shortcut that a key press means, or null. Letters alone count outside of fields only.
export function shortcutOf(event, isInField) {
  const modified = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  if (event.isComposing || event.altKey) return null;
  if (modified && !event.shiftKey && key === "k") return "search";
  if (modified && event.shiftKey && key === "o") return "new";
  if (modified && key === "f") return event.shiftKey ? "all" : "find";
  if (modified) return null;
  if (key === "escape") return "stop";
  if (isInField) return null;
  return KEYS[key] ?? null;
}
