// Frames of the protocol, and what they make of a state, for tests.

import { initial, reduce } from "./state.js";

export const CONVERSATION = "c";

export function event(n, type, fields = {}, incarnation = "7") {
  return { id: `${incarnation}-${n}`, type, turn: "t", epoch: 1, ...fields };
}

export function turnEvent(n, state, fields = {}) {
  return event(n, "turn", { state, message: "m", error: null, ...fields });
}

export function begins(n, fields = {}) {
  return event(n, "generation", {
    generation: "g",
    round: 1,
    attempt: 1,
    state: "running",
    error: null,
    retry_in_ms: null,
    ...fields,
  });
}

export function delta(n, offset, text, fields = {}) {
  return event(n, "delta", { generation: "g", part: "content", offset, text, ...fields });
}

export function block(n, index, start, end, html = `<p>${index}</p>`) {
  return event(n, "block", { generation: "g", part: "content", index, start, end, html });
}

export function snapshot(cursor, turns) {
  return { type: "snapshot", conversation: CONVERSATION, cursor, turns };
}

export function run(frames, state = initial(CONVERSATION)) {
  const effects = [];
  for (const frame of frames) {
    const step = reduce(state, frame, 1000);
    state = step.state;
    effects.push(...step.effects);
  }
  return { state, effects, turn: state.turns.t };
}

export const STREAMING = [turnEvent(1, "queued"), turnEvent(2, "streaming"), begins(3)];
