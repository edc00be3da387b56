// Which rows of a list a filter's words leave. Knows no DOM.

import { gettext, interpolate, ngettext } from "../base/i18n.js";

// Whether `text` has every one of the words, whatever their case and order.
export function matches(text, words) {
  const found = text.toLowerCase();
  return words.toLowerCase().split(/\s+/).every((word) => found.includes(word));
}

// What the button says that adds `count` models.
export function addLabel(count) {
  if (count === 0) return gettext("Add the ticked models");
  return interpolate(ngettext("Add %(count)s model", "Add %(count)s models", count), { count });
}
