// What the page shows beside the turns: summaries, the window, the list, subagents.

import assert from "node:assert/strict";
import { test } from "node:test";

import { initial, reduce } from "./state.js";
import { STREAMING, event, begins, snapshot, run } from "./state_frames.js";

test("a summary is under way until it ends, which the server's HTML tells", () => {
  const begun = run([...STREAMING, event(4, "compaction", { state: "running", elapsed_ms: 300 })]);
  assert.deepEqual(begun.turn.compaction, { since: 700 });
  const context = { tokens: 900, window: 8000, threshold: 0.8, estimated: true };
  const ended = run([event(5, "compaction", { state: "succeeded", context })], begun.state);
  assert.equal(ended.turn.compaction, null);
  assert.deepEqual(ended.effects, [{ do: "fetch_turn", turn: "t" }]);
  assert.deepEqual(ended.state.context, context);
});

test("a generation that ends tells how full the window is; one that is silent changes nothing", () => {
  const context = { tokens: 15, window: 100, threshold: 0.8, estimated: false };
  const told = run([...STREAMING, begins(4, { state: "succeeded", context })]).state;
  assert.deepEqual(told.context, context);
  assert.deepEqual(run([begins(5)], told).state.context, context);
});

test("the model's list is the last one that was told, by an event or a snapshot", () => {
  const items = [{ id: "1", text: "one", status: "pending" }];
  assert.equal(initial("c").todos, null);
  const told = run([event(1, "todos", { items })]).state;
  assert.deepEqual(told.todos, items);
  assert.deepEqual(run([{ ...snapshot("7-2", []), todos: [] }], told).state.todos, []);
  assert.deepEqual(run([snapshot("7-2", [])], told).state.todos, items);
});

function subagentEvent(n, fields = {}) {
  const standing = { state: "streaming", round: 1, calls: [], waiting: [], waits_for: [] };
  return event(n, "subagent", { call: "c", ...standing, ...fields });
}

test("the latest word on a subagent replaces the one before", () => {
  const { turn, effects } = run([...STREAMING, subagentEvent(4), subagentEvent(5, { round: 2 })]);
  assert.equal(turn.subagents.c.round, 2);
  assert.deepEqual(effects.filter(({ do: what }) => what !== "fetch_turn"), []);
});

test("the assistant is what an event or a snapshot tells last", () => {
  const told = event(4, "assistant", { name: "Kind" });
  assert.equal(run([...STREAMING, told]).state.assistant, "Kind");
  const standing = { ...snapshot("7-9", []), assistant: "" };
  assert.equal(run([...STREAMING, told, standing]).state.assistant, "");
  assert.equal(run([...STREAMING, told, snapshot("7-9", [])]).state.assistant, "Kind");
});

test("a subagent waits for the person since its first call began to", () => {
  const asks = (waiting) => (n) => subagentEvent(n, { waiting, waits_for: waiting });
  const one = reduce(run([...STREAMING, asks(["x"])(4)]).state, asks(["x", "y"])(5), 9000);
  assert.equal(one.state.turns.t.subagents.c.waitsSince, 1000);
  const none = reduce(one.state, asks([])(6), 9500);
  assert.equal(none.state.turns.t.subagents.c.waitsSince, null);
});

test("after a reload it is known since when a subagent has waited", () => {
  const { turn } = run([...STREAMING, subagentEvent(4, { waiting: ["x"], waiting_ms: 400 })]);
  assert.equal(turn.subagents.c.waitsSince, 600);
});

test("a snapshot has the subagents of the open calls", () => {
  const standing = { call: "c", state: "streaming", round: 4, calls: [], waiting: [], waits_for: [] };
  const open = { turn: "t", state: "waiting", epoch: 1, calls: [], subagents: [standing] };
  const { turn } = run([snapshot("7-3", [open])]);
  assert.equal(turn.subagents.c.round, 4);
});
