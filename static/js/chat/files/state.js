// The state of the panel of files, as pure functions. No DOM.

import { gettext, interpolate } from "../../base/i18n.js";
import { FINAL } from "../connection/turn_state.js";

// Rows of a folder that are shown at first; as in chat/files/listing.py.
export const PAGE = 100;
// Files that one drop may have.
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

// The query for the open folders, with the number of rows of each.
export function queryOf(opened) {
  return [...opened].map(([path, rows]) => `open=${rows}:${path}`).join("&");
}

// Opens or closes a folder; open folders in it stay open for the next time.
export function toggled(opened, path) {
  const next = new Map(opened);
  if (!next.delete(path)) next.set(path, PAGE);
  return next;
}

// Whether a file differs from the one that the page has shown, or is newer than `since` (seconds).
export function isChanged({ path, kind, signature, modified }, known, since) {
  if (kind !== "file") return false;
  return known.has(path) ? known.get(path) !== signature : modified > since;
}

// A sentence on why a file cannot be uploaded; "" if it can.
export function refusalOf(file, most, size) {
  if (file.size <= most) return "";
  return interpolate(gettext("It has %(size)s; the limit is %(most)s."), { size: size(file.size), most: size(most) });
}
