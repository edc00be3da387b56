// The text of a generation that runs.

import assert from "node:assert/strict";
import { test } from "node:test";

import { STREAMING, event, begins, delta, block, run } from "./state_frames.js";

test("deltas append to the text of the running generation", () => {
  const { turn } = run([...STREAMING, delta(4, 0, "Hel"), delta(5, 3, "lo 😀"), delta(6, 8, "!")]);
  assert.equal(turn.running.content.text, "Hello 😀!");
});

test("reasoning and content are apart", () => {
  const thinks = delta(4, 0, "hm", { part: "reasoning" });
  const { turn } = run([...STREAMING, thinks, delta(5, 0, "so")]);
  assert.equal(turn.running.reasoning.text, "hm");
  assert.equal(turn.running.content.text, "so");
});

test("a delta at the wrong offset starts over with a snapshot", () => {
  const { state, effects } = run([...STREAMING, delta(4, 2, "x")]);
  assert.deepEqual(effects.at(-1), { do: "open" });
  assert.equal(state.cursor, null);
});

test("frames of an older epoch are dropped", () => {
  const taken = begins(5, { epoch: 2, generation: "g2", attempt: 2 });
  const late = [delta(6, 3, "er"), block(7, 0, 0, 3), begins(8)];
  const { state, turn } = run([...STREAMING, delta(4, 0, "old"), taken, ...late]);
  assert.equal(state.cursor, "7-8");
  assert.equal(turn.running.id, "g2");
  assert.equal(turn.running.content.text, "");
});

test("another attempt drops the text of the one before", () => {
  const failed = begins(5, { state: "failed", error: "cut", retry_in_ms: 500 });
  const waiting = run([...STREAMING, delta(4, 0, "half"), failed]);
  assert.equal(waiting.turn.attempt.retryAt, 1500);
  const { turn } = run([begins(6, { generation: "g2", attempt: 2 })], waiting.state);
  assert.equal(turn.running.content.text, "");
});

test("attempts that failed are told by the server's HTML", () => {
  const failed = begins(4, { state: "failed", error: "cut", retry_in_ms: 500 });
  const fetched = [{ do: "fetch_turn", turn: "t" }];
  const waiting = run(STREAMING);
  assert.deepEqual(run([failed], waiting.state).effects, fetched);
  assert.deepEqual(run([begins(4, { generation: "g2", attempt: 2 })], waiting.state).effects, fetched);
  assert.deepEqual(run([begins(4, { state: "succeeded" })], waiting.state).effects, []);
});

test("a text frame replaces everything shown of the round, and its blocks", () => {
  const whole = event(6, "text", {
    generation: "g",
    round: 1,
    epoch: 2,
    parts: { content: "anew", reasoning: "" },
  });
  const { turn } = run([...STREAMING, delta(4, 0, "a\n\n"), block(5, 0, 0, 3), whole]);
  assert.equal(turn.running.content.text, "anew");
  assert.deepEqual(turn.running.content.blocks, []);
});

test("blocks cover the text in order and once", () => {
  const frames = [...STREAMING, delta(4, 0, "a\n\nb\n\nc"), block(5, 0, 0, 3), block(6, 1, 3, 6)];
  const { turn } = run([...frames, block(7, 0, 0, 3), block(8, 2, 6, 99)]);
  assert.deepEqual(turn.running.content.blocks.map((shown) => shown.end), [3, 6]);
});
