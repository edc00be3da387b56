import assert from "node:assert/strict";
import { test } from "node:test";

import { initial, line, openTurns, reduce, runningTurn } from "./state.js";
import { CONVERSATION, event, run, snapshot, STREAMING, turnEvent } from "./state_frames.js";

const waiting = (n, id) => turnEvent(n, "queued", { turn: id, waits: true });
const queue = (n, turns) => event(n, "queue", { turns, notes: [] });

test("a message in line is not in the thread, and not the one that Stop stops", () => {
  const { state, effects } = run([...STREAMING, waiting(4, "a")]);
  assert.deepEqual(openTurns(state).map(({ id }) => id), ["t"]);
  assert.deepEqual(effects.at(-1), { do: "fetch_foot" });
});

test("the line has the order that the server tells", () => {
  const { state } = run([...STREAMING, waiting(4, "a"), waiting(5, "b"), queue(6, ["b", "a"])]);
  assert.deepEqual(state.order, ["t", "b", "a"]);
  assert.equal(runningTurn(state).id, "t");
});

test("a line may name a message of somebody else before its turn is told", () => {
  const frames = [...STREAMING, waiting(4, "a"), queue(5, ["a", "b"]), waiting(6, "b")];
  assert.deepEqual(line(run(frames).state), ["a", "b"]);
});

test("a turn that leaves the line begins: it comes into the thread", () => {
  const { state, effects } = run([...STREAMING, waiting(4, "a"), queue(5, [])]);
  assert.deepEqual(effects.slice(-2), [{ do: "fetch_foot" }, { do: "fetch_turn", turn: "a" }]);
  assert.equal(state.turns.a.waits, false);
});

test("a turn whose state says so begins without a word about the line", () => {
  const { effects } = run([
    ...STREAMING,
    waiting(4, "a"),
    turnEvent(5, "streaming", { turn: "a", waits: false }),
  ]);
  assert.deepEqual(effects.slice(-2), [{ do: "fetch_turn", turn: "a" }, { do: "fetch_foot" }]);
});

test("an accepted message that waits is not drawn as a turn", () => {
  const accepted = { type: "accepted", key: "k", conversation: CONVERSATION, turn: "a", waits: true };
  const { state } = run([...STREAMING, accepted]);
  assert.equal(state.turns.a.waits, true);
  assert.equal(runningTurn(state).id, "t");
});

test("late frames about a deleted turn change nothing", () => {
  const removed = event(4, "removed", { turns: ["t"] });
  const { state, effects } = run([...STREAMING, removed, turnEvent(5, "stopped")]);
  assert.deepEqual(state.order, []);
  assert.deepEqual(effects.slice(-3), [
    { do: "removed", turns: ["t"] },
    { do: "fetch_thread" },
    { do: "fetch_foot" },
  ]);
});

test("a deletion that is undone brings the thread back", () => {
  const removed = event(4, "removed", { turns: ["t"] });
  const { state, effects } = run([...STREAMING, removed, event(5, "restored", { turns: ["t"] })]);
  assert.deepEqual(effects.slice(-2), [{ do: "fetch_thread" }, { do: "fetch_foot" }]);
  assert.equal(state.removed.size, 0);
});

test("of a snapshot the turns in line are not fetched one by one", () => {
  const turn = { turn: "a", state: "queued", waits: true, epoch: 0 };
  const { state, effects } = reduce(initial(CONVERSATION), snapshot("7-1", [turn]), 0);
  assert.deepEqual(effects, []);
  assert.deepEqual(line(state), ["a"]);
});
