// Words and icons of a tool call's states, as chat/presentation/calls.py has them.

import { gettext, interpolate } from "../../base/i18n.js";
import { waitsForYou } from "./waiting.js";

export const CALL_STATES = {
  proposed: [gettext("proposed"), "clock"],
  awaiting_approval: [gettext("waits for you"), "waiting"],
  approved: [gettext("queued"), "clock"],
  denied: [gettext("denied"), "denied"],
  sent: [gettext("running"), "running"],
  waiting: [gettext("waits for you"), "waiting"],
  succeeded: [gettext("done"), "done"],
  failed: [gettext("failed"), "failed"],
  cancelled: [gettext("cancelled"), "stopped"],
  outcome_unknown: [gettext("outcome unknown"), "unknown"],
};

export const CALL_ENDED = new Set(["denied", "succeeded", "failed", "cancelled", "outcome_unknown"]);

// The state that a card shows.
export function shownState(call, subagent) {
  return call.subagent && call.state === "waiting" && !waitsForYou(call, subagent)
    ? "sent"
    : call.state;
}

// How far a subagent is, as chat/presentation/calls.py has it.
export function subagentLine({ state, round, calls, tokens_in: read, tokens_out: written }) {
  if (state === "queued") return gettext("waiting for a worker");
  const tokens = read + written > 0 ? interpolate(gettext("%(count)s tokens"), { count: (read + written).toLocaleString("en") }) : "";
  return [interpolate(gettext("round %(round)s"), { round }), calls.join(", "), tokens].filter(Boolean).join(" · ");
}

// A tool's own name: without the server's, if that is how it was offered.
export function toolName(call) {
  const prefix = `${call.server}-`;
  return call.server && call.name.startsWith(prefix) ? call.name.slice(prefix.length) : call.name;
}

// The argument that says most, on one line; the server's card says it better a moment later.
export function briefOf(argumentsText) {
  let value = argumentsText;
  try {
    const parsed = JSON.parse(argumentsText || "{}");
    value = Object.values(parsed ?? {}).find((item) => typeof item === "string") ?? "";
  } catch {
    // Not JSON: shown as it was written.
  }
  return value.replace(/\s+/g, " ").trim().slice(0, 120);
}
