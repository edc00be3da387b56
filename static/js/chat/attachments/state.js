// The attachments of the message that is being written. No DOM.
//
// An item is { key, name, size, mediaType, state, progress, id, error, again, note }; its state goes
// preparing → uploading → ready | failed, and from failed to preparing again.

import { gettext, interpolate } from "../../base/i18n.js";
import { size } from "../../base/format.js";

// A paste with more becomes a file, so that the message stays legible.
export const LONG_PASTE_CHARACTERS = 8_000;
const LONG_PASTE_LINES = 200;

export function isImage(item) {
  return item.mediaType.startsWith("image/");
}

// The fields of an item that drafts and messages store.
export function reference({ id, name, size, mediaType }) {
  return { id, name, size, mediaType };
}

function unreadable(item, model) {
  if (!isImage(item) || model.readsImages) return "";
  return interpolate(gettext("%(name)s does not read images: choose another model or remove it."), { name: model.name });
}

// A sentence on why the message cannot be sent with these items; empty if it can.
export function problemOf(items, model, limits) {
  const unfinished = items.find(({ state }) => state !== "ready");
  if (unfinished?.state === "failed") {
    const sentence = unfinished.again
      ? gettext("%(name)s is not attached: try again or remove it.")
      : gettext("%(name)s is not attached: remove it.");
    return interpolate(sentence, { name: unfinished.name });
  }
  if (unfinished) return interpolate(gettext("Wait until %(name)s is uploaded."), { name: unfinished.name });
  const refusal = items.map((item) => unreadable(item, model)).find(Boolean);
  return refusal ?? problemOfSize(items, limits);
}

function problemOfSize(items, { most, mostTogether }) {
  if (items.length > most) {
    return interpolate(gettext("The message has %(count)s attachments; the limit is %(most)s. Remove some."), { count: items.length, most });
  }
  const together = items.reduce((sum, item) => sum + item.size, 0);
  if (together <= mostTogether) return "";
  return interpolate(gettext("The attachments have %(together)s together; the limit is %(most)s. Remove some."), { together: size(together), most: size(mostTogether) });
}

// The line under an item's name, and whether it tells of a problem.
export function lineOf(item, model) {
  if (item.state === "failed") return { text: item.error, bad: true };
  if (item.state === "preparing") return { text: gettext("Preparing …"), bad: false };
  if (item.state === "uploading") {
    return { text: interpolate(gettext("%(share)s % of %(size)s"), { share: Math.floor(item.progress * 100), size: size(item.size) }), bad: false };
  }
  const refusal = unreadable(item, model);
  if (refusal) return { text: refusal, bad: true };
  return { text: item.note ? `${size(item.size)} · ${item.note}` : size(item.size), bad: false };
}

// Whether a paste means files. Office programs add a picture of the pasted text; file managers add
// the names of the files.
export function pastesFiles(text, files) {
  if (files.length === 0) return false;
  const lines = text.split(/\r?\n/).filter((line) => line.trim());
  return lines.every((line) => files.some(({ name }) => line.trim().endsWith(name)));
}

export function isLongPaste(text) {
  if (text.length > LONG_PASTE_CHARACTERS) return true;
  return text.split("\n", LONG_PASTE_LINES + 1).length > LONG_PASTE_LINES;
}
