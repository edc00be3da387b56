// A tool call's card while its events come; the server's HTML of the turn replaces it.

import { gettext, interpolate } from "../../base/i18n.js";
import { setIcon } from "../../base/icons.js";
import { duration, stopwatch } from "../../base/format.js";
import { briefOf, CALL_ENDED, CALL_STATES, shownState, subagentLine, toolName } from "../thread/words.js";

export function makeCard(document, call) {
  const card = document.getElementById("call-template").content.cloneNode(true).firstElementChild;
  card.id = `call-${call.call}`;
  card.dataset.call = call.call;
  part(card, "server").textContent = call.server;
  part(card, "dot").hidden = !call.server;
  part(card, "tool").textContent = toolName(call);
  part(card, "brief").textContent = briefOf(call.arguments);
  return card;
}

// A card whose end is shown already knows better.
// `subagent` is how far the one is that the call began, if it did.
export function updateCard(document, card, call, subagent = null) {
  if (CALL_ENDED.has(card.dataset.state)) return;
  const shown = shownState(call, subagent);
  const [word, icon] = CALL_STATES[shown] ?? [shown, "clock"];
  card.dataset.state = shown;
  const state = card.querySelector(".state");
  state.dataset.state = shown;
  setIcon(document, state.querySelector("svg"), icon);
  part(card, "word").textContent = word;
  if (call.result != null) showResult(card, call);
  else if (subagent) part(card, "outcome").textContent = subagentLine(subagent);
  showProgress(document, card.querySelector(":scope > [data-call-progress]"), call);
  const decision = card.querySelector(":scope > [data-decision]");
  if (decision) decision.hidden = call.state !== "awaiting_approval";
}

// How long it has run, by the second. What waits for a person is told by the line below.
export function showElapsed(card, call, now) {
  const isRunning = call.state === "sent" || (call.subagent && call.state === "waiting");
  if (!card || !isRunning || CALL_ENDED.has(card.dataset.state)) return;
  const text = stopwatch(now - call.since);
  const place = part(card, "elapsed");
  if (place.textContent !== text) place.textContent = text;
}

// A tool's own word on how far it is; one that knows nothing of that may only say what it does.
function showProgress(document, place, { state, reported }) {
  if (!place) return;
  if (state !== "sent" || !reported) {
    place.replaceChildren();
    return;
  }
  let bar = place.querySelector("progress");
  if (!bar) {
    bar = document.createElement("progress");
    bar.setAttribute("aria-label", gettext("Progress"));
    const words = document.createElement("span");
    words.dir = "auto";
    place.replaceChildren(bar, words);
  }
  const { progress, total, message } = reported;
  if (total > 0) {
    bar.max = total;
    bar.value = Math.min(progress, total);
  } else {
    bar.removeAttribute("value");
  }
  const known = total > 0 ? interpolate(gettext("%(number)s of %(count)s"), { number: number(progress), count: number(total) }) : number(progress);
  const count = total > 0 || progress || !message ? known : "";
  place.lastElementChild.textContent = [count, message].filter(Boolean).join(" · ");
}

function number(value) {
  return Number(value).toLocaleString("en", { maximumFractionDigits: 1 });
}

function showResult(card, call) {
  const outcome = part(card, "outcome");
  outcome.textContent = call.result.replace(/\s+/g, " ").trim().slice(0, 120);
  outcome.classList.toggle("is-error", call.is_error || call.state === "failed");
  if (call.elapsed_ms) part(card, "elapsed").textContent = duration(call.elapsed_ms);
}

function part(card, name) {
  return card.querySelector(`[data-call-${name}]`);
}
