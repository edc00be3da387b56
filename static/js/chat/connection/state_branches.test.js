// Another branch is shown; turns of branches that are not shown.

import assert from "node:assert/strict";
import { test } from "node:test";

import { reduce } from "./state.js";
import { STREAMING, delta, event, run, snapshot, turnEvent } from "./state_frames.js";

const branch = (n) => event(n, "branch", { turn: "u" });
const elsewhere = (cursor, ids) => ({ ...snapshot(cursor, []), elsewhere: ids });

test("another branch is fetched, and its state is asked for", () => {
  const { state, effects } = run([...STREAMING, branch(4)]);
  assert.deepEqual(effects.slice(-2), [{ do: "show_branch", turn: "u" }, { do: "open" }]);
  assert.deepEqual([state.order, state.cursor, state.lost], [[], null, true]);
});

test("what comes before the snapshot of the branch is dropped", () => {
  const { state } = run([...STREAMING, branch(4), delta(5, 0, "late"), turnEvent(6, "done")]);
  assert.deepEqual(state.turns, {});
});

test("a turn of another branch comes into no thread, and its end is told once", () => {
  const { state, effects } = run([elsewhere("7-9", ["t"]), turnEvent(10, "streaming")]);
  assert.deepEqual([state.order, effects], [[], []]);
  const ended = reduce(state, turnEvent(11, "done"), 0);
  assert.deepEqual(ended.effects, [{ do: "fetch_thread" }]);
  assert.deepEqual(ended.state.elsewhere, []);
});

test("the tokens of another branch change nothing", () => {
  const { state, effects } = run([elsewhere("7-9", ["t"]), delta(10, 0, "a")]);
  assert.deepEqual([state.order, effects], [[], []]);
});
