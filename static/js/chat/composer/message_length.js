// Whether a message fits the model's context window, by the same estimate as the server's
// (tools/definitions/token_estimate.py, chat/commands/message_length.py).

import { gettext, interpolate } from "../../base/i18n.js";

const NARROW = 4; // characters a token, of ASCII
const WIDE = 1.5; // and of the rest
const BYTES = 3; // of an attached text
const OF_AN_IMAGE = 1_000; // tokens

const count = new Intl.NumberFormat("en-US");

export function tokensOf(text) {
  let narrow = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) < 128) narrow += 1;
  return Math.round(narrow / NARROW + (text.length - narrow) / WIDE);
}

// Why the message cannot be sent to this model, or "". `window` is in tokens; 0 if it is not known.
export function problemOfLength(text, attached, { name, window }) {
  if (!window) return "";
  const beside = attached.reduce(
    (sum, { mediaType, size }) => sum + (mediaType.startsWith("image/") ? OF_AN_IMAGE : size / BYTES),
    0,
  );
  if (text.length / WIDE + beside <= window) return "";
  const tokens = Math.round(tokensOf(text) + beside);
  if (tokens <= window) return "";
  return interpolate(
    gettext(
      "The message has about %(tokens)s tokens; %(name)s takes %(window)s. " +
        "Shorten it, or choose a model with a larger context window.",
    ),
    { tokens: count.format(tokens), name, window: count.format(window) },
  );
}
