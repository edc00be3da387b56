// Turns and the conversation.

import assert from "node:assert/strict";
import { test } from "node:test";

import { initial, openTurns, reduce, runningTurn } from "./state.js";
import { CONVERSATION, STREAMING, event, turnEvent, delta, run } from "./state_frames.js";

test("a new turn is fetched, and an ended one", () => {
  const { effects, state } = run([...STREAMING, turnEvent(4, "done")]);
  assert.deepEqual(effects, [
    { do: "fetch_turn", turn: "t" },
    { do: "fetch_turn", turn: "t" },
  ]);
  assert.deepEqual(openTurns(state), []);
});

test("the first final state wins", () => {
  const { turn } = run([...STREAMING, turnEvent(4, "stopped"), turnEvent(5, "done"), delta(6, 0, "x")]);
  assert.equal(turn.state, "stopped");
  assert.equal(turn.running.content.text, "");
});

test("the turn that Stop means is the first that is open", () => {
  const { state } = run([...STREAMING, turnEvent(4, "queued", { turn: "u" })]);
  assert.equal(runningTurn(state).id, "t");
});

test("a call keeps the arguments that it was proposed with", () => {
  const call = (n, state, text) =>
    event(n, "call", { call: "k", round: 1, index: 1, name: "a", server: "", arguments: text, state });
  const { turn } = run([...STREAMING, call(4, "proposed", '{"a": 1}'), call(5, "cancelled", "")]);
  assert.equal(turn.calls.k.state, "cancelled");
  assert.equal(turn.calls.k.arguments, '{"a": 1}');
});

test("a new conversation begins with its first accepted message, at event 1", () => {
  const accepted = { type: "accepted", key: "k", conversation: "n", turn: "t", message: "m" };
  const { state, effects } = run([accepted, turnEvent(1, "queued")], initial());
  assert.equal(state.conversation, "n");
  assert.equal(state.cursor, "7-1");
  assert.deepEqual(effects, [{ ...accepted, do: "accepted" }]);
});

test("a message of another conversation is accepted without becoming part of this one", () => {
  const accepted = { type: "accepted", key: "k", conversation: "other", turn: "u", message: "m" };
  const { state, effects } = run([accepted]);
  assert.deepEqual(state.turns, {});
  assert.equal(effects[0].do, "accepted");
});

test("a resent message of a turn that ended long ago leaves no turn open", () => {
  const accepted = { type: "accepted", key: "k", conversation: "c", turn: "t", message: "m" };
  const { state } = run([accepted, { type: "shown", turn: "t", state: "done" }]);
  assert.deepEqual(openTurns(state), []);
});

test("old ended turns are forgotten", () => {
  const frames = [];
  for (let k = 0; k < 40; k += 1) frames.push(turnEvent(k + 1, "done", { turn: `t${k}` }));
  const { state } = run(frames);
  assert.equal(Object.keys(state.turns).length, state.order.length);
  assert.ok(state.order.length <= 10);
});

test("a conversation that is deleted has nothing under way, whatever still comes of it", () => {
  const { state, effects } = reduce(run(STREAMING).state, event(4, "deleted"), 0);
  assert.deepEqual(effects, [{ do: "deleted" }]);
  assert.equal(runningTurn(state), null);
  assert.equal(runningTurn(reduce(state, delta(5, 0, "late"), 0).state), null);
});

test("a conversation that cannot be opened any more is missing", () => {
  const refusal = { type: "error", code: "unknown", error: "There is none." };
  const ours = reduce(run(STREAMING).state, { ...refusal, conversation: CONVERSATION }, 0);
  assert.deepEqual(ours.effects, [{ do: "missing" }]);
  const subagents = reduce(run(STREAMING).state, { ...refusal, conversation: "nested" }, 0);
  assert.deepEqual(subagents.effects, []);
  assert.deepEqual(reduce(run(STREAMING).state, refusal, 0).effects, []);
});
