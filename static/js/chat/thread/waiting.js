// What waits for a person. No DOM.

import { FINAL } from "../connection/turn_state.js";

const WAITS_FOR_PERSON = new Set(["awaiting_approval", "waiting"]);

// Whether a person is waited for. A call that began a subagent waits for that, unless one of the
// subagent's own calls waits for a person.
export function waitsForYou(call, subagent) {
  return call.subagent ? Boolean(subagent?.waiting.length) : WAITS_FOR_PERSON.has(call.state);
}

// The call that waits for the person, the first of them, and what it waits for: the same words in
// every tab. Null if nothing waits.
export function waitingFor(state) {
  const waiting = Object.values(state.turns)
    .filter((turn) => !FINAL.has(turn.state))
    .flatMap(({ calls, subagents }) =>
      Object.values(calls)
        .map((call) => ({ call, subagent: subagents[call.call] }))
        .filter(({ call, subagent }) => waitsForYou(call, subagent)),
    );
  const [first] = waiting.sort((a, b) => a.call.index - b.call.index);
  if (!first) return null;
  return [first.call.call, first.call.state, ...(first.subagent?.waiting ?? []).slice(0, 1)].join(" ");
}
