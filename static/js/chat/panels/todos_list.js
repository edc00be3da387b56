// What the list that the model keeps comes to. No DOM. The server's words are those of
// chat/presentation/todos.py.

import { gettext, interpolate } from "../../base/i18n.js";

export const TODO_STATES = {
  pending: [gettext("open"), "open"],
  in_progress: [gettext("in progress"), "running"],
  completed: [gettext("done"), "done"],
};

const NEAREST = [
  ["in_progress", gettext("now")],
  ["pending", gettext("next")],
];

export function countOf(items) {
  return interpolate(gettext("%(done)s of %(count)s"), { done: doneOf(items), count: items.length });
}

// What is worked on, or what comes next; "" if nothing is left.
export function nowOf(items) {
  for (const [status, word] of NEAREST) {
    const found = items.find((item) => item.status === status);
    if (found) return `${word}: ${found.text}`;
  }
  return "";
}

export function isOver(items) {
  return doneOf(items) === items.length;
}

// A sentence for who does not see the list, where one is worth it: something was done, or all of
// it; "" for every other change.
export function newsOf(before, items) {
  const done = doneOf(items);
  if (items.length === 0 || done === 0 || done <= doneOf(before)) return "";
  if (isOver(items)) return gettext("Plan: all done");
  return interpolate(gettext("Plan: %(count)s done, %(now)s"), { count: countOf(items), now: nowOf(items) });
}

// Whether the list is unfolded: as the person chose, else where there is room and something is open.
export function isUnfolded(items, chosen, isWide) {
  return chosen ?? (isWide && !isOver(items));
}

function doneOf(items) {
  return items.filter((item) => item.status === "completed").length;
}
