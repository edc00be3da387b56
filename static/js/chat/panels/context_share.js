// The text of the context share. No DOM. The server has the same text in
// templates/chat/_context.html.

import { gettext, interpolate } from "../../base/i18n.js";

export function percentOf({ tokens, window }) {
  return window ? Math.round((100 * tokens) / window) : 0;
}

export function warns({ tokens, window, threshold }) {
  return threshold > 0 && tokens > threshold * window;
}

export function detailOf({ tokens, window, estimated }) {
  const sentence = estimated
    ? gettext("About %(tokens)s of %(window)s tokens, estimated after the summary.")
    : gettext("%(tokens)s of %(window)s tokens, as the provider counted the latest answer.");
  return interpolate(sentence, { tokens: thousands(tokens), window: thousands(window) });
}

export function ruleOf({ threshold }) {
  if (!threshold) return gettext("Older messages are summarised only when you ask for it.");
  return interpolate(gettext("At %(threshold)s %, older messages are summarised automatically."), { threshold: Math.round(100 * threshold) });
}

function thousands(count) {
  return count.toLocaleString("en-US");
}
