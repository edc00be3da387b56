// One turn of a conversation's state: as it begins, and as a snapshot or an event has it. No DOM, no
// clock: `now` is in milliseconds.

export const FINAL = new Set(["done", "failed", "stopped"]);

export function isOpen(turn) {
  return !FINAL.has(turn.state);
}

export function blankTurn(id) {
  return {
    id,
    state: "queued",
    // Whether it is in line: it waits for an earlier turn.
    waits: false,
    epoch: 0,
    message: null,
    // The comparison of which its answer is one, until one is chosen.
    comparison: null,
    // The name of who wrote it, null for the owner of the conversation; undefined: this person.
    author: undefined,
    error: null,
    since: null,
    running: null,
    attempt: null,
    compaction: null, // the summary that is being written: { since }
    calls: {},
    subagents: {}, // by the call that began each
  };
}

export function fromSnapshot(turn, before, now) {
  const since = now - (turn.elapsed_ms ?? 0);
  return {
    state: turn.state,
    waits: Boolean(turn.waits),
    epoch: turn.epoch,
    message: turn.message,
    comparison: turn.comparison ?? null,
    author: turn.author ?? null,
    error: turn.error,
    since: before?.state === turn.state && before.since !== null ? before.since : since,
    running: turn.running && isOpen(turn) ? generation(turn.running) : null,
    attempt: turn.attempt && isOpen(turn) ? attemptOf(turn.attempt, now) : null,
    compaction: turn.compaction && isOpen(turn) ? compactionOf(turn.compaction, now) : null,
    calls: Object.fromEntries((turn.calls ?? []).map((call) => [call.call, openCall(call, now)])),
    subagents: Object.fromEntries(
      (turn.subagents ?? []).map((one) => [one.call, subagent(one, before?.subagents[one.call], now)]),
    ),
  };
}

function openCall(call, now) {
  return { ...call, since: now - (call.elapsed_ms ?? 0) };
}

// Adds since when it has waited for a person, or null.
export function subagent(fields, before, now) {
  const began = before?.waitsSince ?? now - (fields.waiting_ms ?? 0);
  const waitsSince = fields.waiting.length > 0 ? began : null;
  return { ...fields, waitsSince };
}

export function compactionOf({ state, elapsed_ms: elapsed }, now) {
  return state === "running" ? { since: now - (elapsed ?? 0) } : null;
}

// From a `generation` event, or the latest attempt of a snapshot.
export function attemptOf({ round, attempt, state, error, retry_in_ms: wait }, now) {
  const retryAt = wait == null ? null : now + wait;
  return { round, number: attempt, state, error, retryAt, since: now };
}

export function generation({ generation: id, round, epoch, parts, blocks }) {
  return {
    id,
    round,
    epoch,
    content: part(parts?.content, blocks?.content),
    reasoning: part(parts?.reasoning, blocks?.reasoning),
    calls: part(parts?.calls),
  };
}

function part(text = "", blocks = []) {
  return { text, blocks };
}
