// Which rows of a list a filter's words leave. Knows no DOM.

// Whether `text` has every one of the words, whatever their case and order.
export function matches(text, words) {
  const found = text.toLowerCase();
  return words.toLowerCase().split(/\s+/).every((word) => found.includes(word));
}

// What the button says that adds `count` models.
export function addLabel(count) {
  if (count === 0) return "Add the ticked models";
  return count === 1 ? "Add 1 model" : `Add ${count} models`;
}
