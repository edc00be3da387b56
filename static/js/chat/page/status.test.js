import assert from "node:assert/strict";
import { test } from "node:test";

import { statusOf } from "./status.js";
import { waitingFor } from "../thread/waiting.js";
import { briefOf, shownState, subagentLine, toolName } from "../thread/words.js";

const part = (text) => ({ text, blocks: [] });

function turn(changes = {}) {
  const nothing = { calls: {}, subagents: {}, attempt: null, running: null };
  return { state: "streaming", since: 100, ...nothing, ...changes };
}

function attempt(changes = {}) {
  return { round: 1, number: 1, state: "running", error: null, retryAt: null, since: 200, ...changes };
}

function call(changes = {}) {
  return { round: 1, name: "sqlite-read_query", server: "sqlite", state: "sent", since: 300, ...changes };
}

test("a queued turn says what it is behind", () => {
  assert.equal(statusOf(turn({ state: "queued" }), 0).text, "waiting for a worker");
  assert.equal(statusOf(turn({ state: "queued" }), 0, true).text, "waiting for the previous answer");
});

test("a summary that is being written is told, since it began", () => {
  const failed = attempt({ state: "failed", retryAt: 900 });
  const status = statusOf(turn({ attempt: failed, compaction: { since: 700 } }), 800);
  assert.deepEqual(status, { text: "summarising older messages", since: 700, kind: "running" });
});

test("until the first token the model is waited for, since the attempt began", () => {
  const status = statusOf(turn({ attempt: attempt() }), 900);
  assert.deepEqual(status, { text: "waiting for the model", since: 200, kind: "running" });
});

test("a model that is called counts more than a state that has not followed yet", () => {
  assert.equal(statusOf(turn({ state: "waiting" }), 0).text, "waiting for tools");
  const called = turn({ state: "waiting", attempt: attempt() });
  assert.equal(statusOf(called, 0).text, "waiting for the model");
});

test("reasoning is thinking, content is writing", () => {
  const running = { round: 1, content: part(""), reasoning: part("hm") };
  assert.equal(statusOf(turn({ attempt: attempt(), running }), 0).text, "thinking");
  running.content = part("so");
  assert.equal(statusOf(turn({ attempt: attempt(), running }), 0).text, "writing");
});

test("a retry is counted down", () => {
  const failed = attempt({ state: "failed", error: "429", retryAt: 95_000 });
  const said = (now) => statusOf(turn({ attempt: failed }), now).text;
  assert.equal(said(2_100), "retrying in 1 min 33 s (attempt 2)");
  assert.equal(said(92_100), "retrying in 3 s (attempt 2)");
  assert.equal(said(95_000), "retrying now (attempt 2)");
});

test("a second attempt is called one", () => {
  const status = statusOf(turn({ attempt: attempt({ number: 2 }) }), 0);
  assert.equal(status.text, "waiting for the model (attempt 2)");
});

test("a call that runs is named, several are counted", () => {
  const ended = attempt({ state: "succeeded" });
  const one = turn({ state: "waiting", attempt: ended, calls: { a: call() } });
  assert.equal(statusOf(one, 0).text, "calling sqlite · read_query");
  const two = { ...one, calls: { a: call(), b: call({ since: 250 }) } };
  assert.deepEqual(statusOf(two, 0), { text: "calling 2 tools", since: 250, kind: "running" });
});

test("a call that a person must allow comes first", () => {
  const calls = { a: call(), b: call({ state: "awaiting_approval" }) };
  const status = statusOf(turn({ state: "waiting", calls }), 0);
  assert.equal(status.text, "waits for you: sqlite · read_query");
  assert.equal(status.kind, "waiting");
});

test("calls of an earlier round say nothing about this one", () => {
  const status = statusOf(turn({ attempt: attempt({ round: 2 }), calls: { a: call() } }), 0);
  assert.equal(status.text, "waiting for the model");
});

test("a tool's name is shown without its server's", () => {
  assert.equal(toolName({ server: "sqlite", name: "sqlite-read_query" }), "read_query");
  assert.equal(toolName({ server: "", name: "calculate" }), "calculate");
});

test("the brief of arguments is a string among them, or what was written", () => {
  assert.equal(briefOf('{"n": 1, "query": "SELECT\\n 1"}'), "SELECT 1");
  assert.equal(briefOf('{"query": "SEL'), '{"query": "SEL');
  assert.equal(briefOf(""), "");
  assert.equal(briefOf("null"), "");
});

const TASK = { name: "task", server: "", state: "waiting", subagent: "n" };

function subagent(changes = {}) {
  const figures = { tokens_in: 1000, tokens_out: 234 };
  const calls = { calls: [], waiting: [], waits_for: [], waitsSince: null };
  return { state: "streaming", round: 3, ...calls, ...figures, ...changes };
}

test("a call that waits for its subagent does not wait for the person", () => {
  const calls = { a: call({ ...TASK, call: "a" }), b: call({ ...TASK, call: "b" }) };
  const waiting = turn({ state: "waiting", calls, subagents: { a: subagent() } });
  assert.equal(statusOf(waiting, 0).text, "2 subagents are working");
  assert.equal(shownState(calls.a, subagent()), "sent");
  assert.equal(waitingFor({ turns: { t: waiting } }), null);
});

test("what a subagent waits for the person with is named", () => {
  const calls = { a: call({ ...TASK, call: "a" }) };
  const asking = subagent({ waiting: ["x"], waits_for: ["new-write"], waitsSince: 700 });
  const waiting = turn({ state: "waiting", calls, subagents: { a: asking } });
  const text = "waits for you: new-write of a subagent";
  assert.deepEqual(statusOf(waiting, 0), { text, since: 700, kind: "waiting" });
  assert.equal(shownState(calls.a, asking), "waiting");
  assert.equal(waitingFor({ turns: { t: waiting } }), "a waiting x");
});

test("a subagent is told by its round, what it calls, and its tokens", () => {
  assert.equal(subagentLine(subagent({ calls: ["read_file"] })), "round 3 · read_file · 1,234 tokens");
  assert.equal(subagentLine(subagent({ state: "queued" })), "waiting for a worker");
  assert.equal(subagentLine(subagent({ tokens_in: 0, tokens_out: 0 })), "round 3");
});
