// What a screen reader says when an answer ends: that it ended, and the answer, once. It has said
// nothing of the text while it came.

import { gettext } from "../../base/i18n.js";

// As long as one listens to without having asked for it; the answer itself can be read in the thread.
const MOST_SPOKEN = 600;
const ENDS = {
  done: gettext("Answer complete"),
  failed: gettext("The answer failed. The reason is shown below it."),
  stopped: gettext("Stopped"),
};

export function endOf(state) {
  return ENDS[state];
}

export function spokenEnd(document, turn, state) {
  const text = state === "done" ? textOf(document.querySelector(`[data-turn="${turn}"]`)) : "";
  return text ? `${ENDS[state]}: ${text}` : ENDS[state];
}

// Of the last round, at most about MOST_SPOKEN characters, cut after a word.
function textOf(element) {
  const prose = [...(element?.querySelectorAll("[data-role=assistant] .prose") ?? [])].at(-1);
  const text = (prose?.innerText ?? "").trim().replace(/\s+/g, " ");
  if (text.length <= MOST_SPOKEN) return text;
  const cut = text.slice(0, MOST_SPOKEN);
  return `${cut.slice(0, cut.lastIndexOf(" ") + 1 || MOST_SPOKEN).trim()} …`;
}
