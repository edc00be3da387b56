// What the panel of files knows and decides, as plain functions. No DOM.

import { FINAL } from "../connection/state.js";

// How many rows of a folder are shown at first; as in chat/files/listing.py.
export const PAGE = 100;
// How many files are taken at once.
export const MOST_AT_ONCE = 100;

const OVER = new Set(["succeeded", "failed", "denied", "cancelled", "outcome_unknown"]);

// Changes whenever a tool call, a subagent's round, or a turn of the conversation has ended: files
// may have changed.
export function endingsOf(state) {
  return state.order
    .map((id) => endings(state.turns[id]))
    .filter(Boolean)
    .join(" ");
}

function endings({ id, state, calls, subagents = {} }) {
  const over = Object.values(calls).filter((call) => OVER.has(call.state)).length;
  const below = Object.values(subagents).map(({ round, calls }) => `${round}.${calls.length}`);
  const end = FINAL.has(state) ? state : "";
  return over || below.length || end ? `${id}:${over}:${below}:${end}` : "";
}

// The query for the folders that are open: how many rows of each, by its address.
export function queryOf(opened) {
  return [...opened].map(([path, rows]) => `open=${rows}:${path}`).join("&");
}

// Opens or closes a folder; what is open in it stays so for the next time.
export function toggled(opened, path) {
  const next = new Map(opened);
  if (!next.delete(path)) next.set(path, PAGE);
  return next;
}

// Whether a file is another one than this page has seen, or came after `since` (seconds).
export function isChanged({ path, kind, signature, modified }, known, since) {
  if (kind !== "file") return false;
  return known.has(path) ? known.get(path) !== signature : modified > since;
}

// A text with a path put where the selection is, a word of its own; `caret` stands behind it.
export function mentioned(text, start, end, path) {
  const word = /[\s`"'()]/.test(path) ? `"${path}"` : path;
  const before = text.slice(0, start);
  const after = text.slice(end);
  const left = before && !/\s$/.test(before) ? " " : "";
  const right = /^\s/.test(after) ? "" : " ";
  const inserted = `${left}${word}${right}`;
  return { text: `${before}${inserted}${after}`, caret: before.length + inserted.length };
}

// What keeps a file from being uploaded at all; "" if nothing does.
export function refusalOf(file, most, size) {
  if (file.size <= most) return "";
  return `It has ${size(file.size)}; the limit is ${size(most)}.`;
}
