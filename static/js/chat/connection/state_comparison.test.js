import assert from "node:assert/strict";
import { test } from "node:test";

import { runningTurns } from "./state.js";
import { begins, delta, event, run, snapshot, turnEvent } from "./state_frames.js";

const BESIDE = { comparison: "k" };

function begun(more = []) {
  const other = { turn: "u", generation: "h" };
  return run([
    turnEvent(1, "queued", BESIDE),
    turnEvent(2, "queued", { ...BESIDE, turn: "u" }),
    turnEvent(3, "streaming", BESIDE),
    turnEvent(4, "streaming", { ...BESIDE, turn: "u" }),
    begins(5),
    begins(6, other),
    delta(7, 0, "one "),
    delta(8, 0, "uno ", other),
    delta(9, 4, "two"),
    delta(10, 4, "dos", other),
    ...more,
  ]);
}

test("interleaved texts go to their own turns", () => {
  const { state } = begun();
  assert.equal(state.turns.t.running.content.text, "one two");
  assert.equal(state.turns.u.running.content.text, "uno dos");
  assert.equal(state.lost, false);
});

test("what is new is fetched with those beside it, what ends alone", () => {
  const { effects } = begun([turnEvent(11, "done", { ...BESIDE, turn: "u" })]);
  const fetches = effects.filter((effect) => effect.do.startsWith("fetch"));
  assert.deepEqual(fetches, [
    { do: "fetch_thread" },
    { do: "fetch_thread" },
    { do: "fetch_turn", turn: "u" },
  ]);
});

test("all answers that are compared run, and none that waits", () => {
  const { state } = begun([turnEvent(11, "queued", { turn: "v", waits: true })]);
  assert.deepEqual(runningTurns(state).map(({ id }) => id), ["t", "u"]);
});

test("of turns that are not compared the first one runs", () => {
  const { state } = run([turnEvent(1, "streaming"), turnEvent(2, "queued", { turn: "u" })]);
  assert.deepEqual(runningTurns(state).map(({ id }) => id), ["t"]);
  assert.deepEqual(runningTurns(run([]).state), []);
});

test("a choice leaves the columns for the thread of the chosen one", () => {
  const { state, effects } = begun([event(11, "branch", { turn: "u" })]);
  assert.deepEqual(state.order, []);
  assert.deepEqual(effects.slice(-2), [{ do: "show_branch", turn: "u" }, { do: "open" }]);
});

test("a snapshot tells what is compared", () => {
  const turn = { state: "streaming", epoch: 1, message: "m", error: null, ...BESIDE };
  const { state } = run([snapshot("7-3", [{ ...turn, turn: "t" }, { ...turn, turn: "u" }])]);
  assert.deepEqual(runningTurns(state).map(({ id }) => id), ["t", "u"]);
});
