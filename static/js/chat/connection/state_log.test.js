// Cursors, gaps and snapshots.

import assert from "node:assert/strict";
import { test } from "node:test";

import { placeOf, reduce } from "./state.js";
import { STREAMING, event, begins, delta, snapshot, run } from "./state_frames.js";

test("an event that is not newer than the cursor is dropped", () => {
  const frames = [...STREAMING, delta(4, 0, "a"), delta(4, 0, "a"), begins(3), delta(5, 1, "b")];
  assert.equal(run(frames).turn.running.content.text, "ab");
});

test("a gap is asked for once, and what is behind it waits", () => {
  const { state, effects } = run([...STREAMING, delta(5, 1, "b"), delta(6, 2, "c")]);
  assert.equal(effects.filter((effect) => effect.do === "open").length, 1);
  assert.equal(state.cursor, "7-3");
  const again = run([delta(4, 0, "a"), delta(5, 1, "b"), delta(6, 2, "c")], state);
  assert.equal(again.turn.running.content.text, "abc");
});

test("another incarnation is a gap", () => {
  const { state, effects } = run([...STREAMING, event(4, "conversation", { title: "x" }, "8")]);
  assert.equal(state.title, null);
  assert.deepEqual(effects.at(-1), { do: "open" });
});

test("without a cursor a log begins at 1", () => {
  assert.equal(placeOf(null, "9-1"), "next");
  assert.equal(placeOf(null, "9-2"), "gap");
  assert.equal(placeOf("9-9", "9-10"), "next");
  assert.equal(placeOf("9-10", "9-9"), "old");
  assert.equal(placeOf("9-10", "nonsense"), "old");
});

test("a snapshot has what is left of the wait for the next attempt", () => {
  const attempt = { generation: "g", round: 2, attempt: 3, state: "failed", error: "429" };
  const waits = { turn: "t", state: "streaming", epoch: 4, attempt: { ...attempt, retry_in_ms: 700 } };
  const { turn } = run([snapshot("7-3", [waits])]);
  assert.equal(turn.attempt.retryAt, 1700);
  assert.deepEqual([turn.attempt.round, turn.attempt.number], [2, 3]);
});

test("the first snapshot of a page fetches its turns only", () => {
  const turns = [{ turn: "t", state: "streaming", epoch: 1, elapsed_ms: 400, running: null }];
  const { turn, effects } = run([snapshot("7-3", turns)]);
  assert.deepEqual(effects, [{ do: "fetch_turn", turn: "t", unless: "streaming" }]);
  assert.equal(turn.since, 600);
});

test("a snapshot that was not asked for fetches the thread", () => {
  const { effects } = run([...STREAMING, snapshot("8-1", [])]);
  assert.deepEqual(effects.slice(1), [{ do: "fetch_thread" }, { do: "fetch_turn", turn: "t" }]);
});

test("a snapshot brings the running text, and events go on from it", () => {
  const running = {
    generation: "g",
    round: 2,
    epoch: 3,
    parts: { content: "so far", reasoning: "" },
    blocks: { content: [{ index: 0, start: 0, end: 6, html: "<p>so far</p>" }] },
  };
  const turns = [{ turn: "t", state: "streaming", epoch: 3, elapsed_ms: 0, running }];
  const { turn } = run([snapshot("7-9", turns), delta(10, 6, "!", { epoch: 3 })]);
  assert.equal(turn.running.content.text, "so far!");
  assert.equal(turn.running.content.blocks.length, 1);
});

test("a snapshot of another conversation is not ours", () => {
  const other = { ...snapshot("1-1", []), conversation: "other" };
  assert.equal(run([...STREAMING, other]).state.cursor, "7-3");
});

test("frames that mean nothing change nothing", () => {
  const { state } = run([...STREAMING]);
  for (const frame of [{ type: "pong" }, { type: "hello" }, { id: "x", type: "delta" }, {}]) {
    assert.equal(reduce(state, frame, 0).state, state);
  }
});
