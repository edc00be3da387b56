// The attachments of the message that is being written. No DOM.
//
// An item is { key, name, size, mediaType, state, progress, id, error, again, note }; its state goes
// preparing → uploading → ready | failed, and from failed to preparing again.

import { size } from "../../base/format.js";

export function isImage(item) {
  return item.mediaType.startsWith("image/");
}

// The fields of an item that drafts and messages store.
export function reference({ id, name, size, mediaType }) {
  return { id, name, size, mediaType };
}

export function unreadable(item, model) {
  if (!isImage(item) || model.readsImages) return "";
  return `${model.name} does not read images: choose another model or remove it.`;
}

// A sentence on why the message cannot be sent with these items; empty if it can.
export function problemOf(items, model, limits) {
  const unfinished = items.find(({ state }) => state !== "ready");
  if (unfinished?.state === "failed") {
    return `${unfinished.name} is not attached: ${unfinished.again ? "try again or " : ""}remove it.`;
  }
  if (unfinished) return `Wait until ${unfinished.name} is uploaded.`;
  const refusal = items.map((item) => unreadable(item, model)).find(Boolean);
  return refusal ?? problemOfSize(items, limits);
}

function problemOfSize(items, { most, mostTogether }) {
  if (items.length > most) {
    return `The message has ${items.length} attachments; the limit is ${most}. Remove some.`;
  }
  const together = items.reduce((sum, item) => sum + item.size, 0);
  if (together <= mostTogether) return "";
  return `The attachments have ${size(together)} together; the limit is ${size(mostTogether)}. Remove some.`;
}

// The line under an item's name, and whether it tells of a problem.
export function lineOf(item, model) {
  if (item.state === "failed") return { text: item.error, bad: true };
  if (item.state === "preparing") return { text: "Preparing …", bad: false };
  if (item.state === "uploading") {
    return { text: `${Math.floor(item.progress * 100)} % of ${size(item.size)}`, bad: false };
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
