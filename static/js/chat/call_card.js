// A tool call's card while its events come; the server's HTML of the turn replaces it.

import { setIcon } from "../base/icons.js";
import { duration } from "../base/format.js";
import { briefOf, CALL_ENDED, CALL_STATES, toolName } from "./words.js";

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
export function updateCard(document, card, call) {
  if (CALL_ENDED.has(card.dataset.state)) return;
  const [word, icon] = CALL_STATES[call.state] ?? [call.state, "clock"];
  card.dataset.state = call.state;
  const state = card.querySelector(".state");
  state.dataset.state = call.state;
  setIcon(document, state.querySelector("svg"), icon);
  part(card, "word").textContent = word;
  if (call.result !== null) showResult(card, call);
  const decision = card.querySelector("[data-decision]");
  if (decision) decision.hidden = call.state !== "awaiting_approval";
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
