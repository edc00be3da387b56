import assert from "node:assert/strict";
import { test } from "node:test";

import { initial, isOpen, openTurns, placeOf, reconnected, reduce, runningTurn } from "./state.js";

const CONVERSATION = "c";

function event(n, type, fields = {}, incarnation = "7") {
  return { id: `${incarnation}-${n}`, type, turn: "t", epoch: 1, ...fields };
}

function turnEvent(n, state, fields = {}) {
  return event(n, "turn", { state, message: "m", error: null, ...fields });
}

function begins(n, fields = {}) {
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

function delta(n, offset, text, fields = {}) {
  return event(n, "delta", { generation: "g", part: "content", offset, text, ...fields });
}

function block(n, index, start, end, html = `<p>${index}</p>`) {
  return event(n, "block", { generation: "g", part: "content", index, start, end, html });
}

function snapshot(cursor, turns) {
  return { type: "snapshot", conversation: CONVERSATION, cursor, turns };
}

function run(frames, state = initial(CONVERSATION)) {
  const effects = [];
  for (const frame of frames) {
    const step = reduce(state, frame, 1000);
    state = step.state;
    effects.push(...step.effects);
  }
  return { state, effects, turn: state.turns.t };
}

const STREAMING = [turnEvent(1, "queued"), turnEvent(2, "streaming"), begins(3)];

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

test("a snapshot has what is left of the wait for the next attempt", () => {
  const attempt = { generation: "g", round: 2, attempt: 3, state: "failed", error: "429" };
  const waits = { turn: "t", state: "streaming", epoch: 4, attempt: { ...attempt, retry_in_ms: 700 } };
  const { turn } = run([snapshot("7-3", [waits])]);
  assert.equal(turn.attempt.retryAt, 1700);
  assert.deepEqual([turn.attempt.round, turn.attempt.number], [2, 3]);
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

test("frames that mean nothing change nothing", () => {
  const { state } = run([...STREAMING]);
  for (const frame of [{ type: "pong" }, { type: "hello" }, { id: "x", type: "delta" }, {}]) {
    assert.equal(reduce(state, frame, 0).state, state);
  }
});

test("old ended turns are forgotten", () => {
  const frames = [];
  for (let k = 0; k < 40; k += 1) frames.push(turnEvent(k + 1, "done", { turn: `t${k}` }));
  const { state } = run(frames);
  assert.equal(Object.keys(state.turns).length, state.order.length);
  assert.ok(state.order.length <= 10);
});

// A server with faults. What it says is numbered; the connection drops, doubles and repeats, the
// log comes back empty, owners are replaced. In the end the page must show what the server has.

function randomFrom(seed) {
  let x = seed * 2654435761 + 1;
  return (limit) => {
    x = (x * 1103515245 + 12345) % 2147483648;
    return Math.floor((x / 2147483648) * limit);
  };
}

class Server {
  constructor(random) {
    this.random = random;
    this.incarnation = 1;
    this.log = [];
    this.turn = { state: "queued", epoch: 0, running: null };
    this.generations = 0;
    this.say("turn", { state: "queued", message: "m", error: null });
  }

  say(type, fields) {
    const id = `${this.incarnation}-${this.log.length + 1}`;
    this.log.push({ id, type, turn: "t", epoch: this.turn.epoch, ...fields });
  }

  begin() {
    const { turn } = this;
    turn.epoch += 1;
    this.generations += 1;
    const generation = `g${this.generations}`;
    if (turn.state !== "streaming") {
      turn.state = "streaming";
      this.say("turn", { state: "streaming", message: "m", error: null });
    }
    turn.running = { generation, round: 1, epoch: turn.epoch, parts: { content: "", reasoning: "" } };
    this.say("generation", { generation, round: 1, attempt: this.generations, state: "running" });
  }

  speak() {
    const { running } = this.turn;
    const part = this.random(4) === 0 ? "reasoning" : "content";
    const text = ["a", "bc\n\n", "汉字", "😀", " "][this.random(5)];
    this.say("delta", { generation: running.generation, part, offset: running.parts[part].length, text });
    running.parts[part] += text;
  }

  // A delta of an owner that does not know yet that it was replaced.
  haunt() {
    const before = this.turn.epoch - 1;
    if (before > 0) this.say("delta", { epoch: before, generation: "g0", part: "content", offset: 5, text: "!" });
  }

  rewrite() {
    const { running } = this.turn;
    this.say("text", { generation: running.generation, round: 1, parts: { ...running.parts } });
  }

  step() {
    const choice = this.random(20);
    if (this.turn.running === null || choice === 0) this.begin();
    else if (choice === 1) this.haunt();
    else if (choice === 2) this.rewrite();
    else if (choice === 3) this.loseLog();
    else this.speak();
  }

  loseLog() {
    this.incarnation += 1;
    this.log = [];
  }

  end() {
    this.turn.state = "done";
    this.say("turn", { state: "done", message: "m", error: null });
  }

  open(cursor) {
    const [incarnation, n] = (cursor ?? "0-0").split("-").map(Number);
    if (cursor !== null && incarnation === this.incarnation && n <= this.log.length) {
      return this.log.slice(n);
    }
    const { running, ...turn } = this.turn;
    const parts = running && { ...running, parts: { ...running.parts } };
    return [
      {
        type: "snapshot",
        conversation: CONVERSATION,
        cursor: this.log.at(-1)?.id ?? null,
        turns: [{ turn: "t", ...turn, message: "m", elapsed_ms: 0, running: parts }],
      },
    ];
  }
}

class Page {
  constructor(server, random) {
    this.server = server;
    this.random = random;
    this.state = initial(CONVERSATION);
    this.wire = server.open(null);
    this.sent = server.log.length;
  }

  // What was said since the last look is put on the wire, with faults.
  listen() {
    const { log } = this.server;
    for (const frame of log.slice(Math.min(this.sent, log.length))) {
      const fault = this.random(12);
      if (fault !== 0) this.wire.push(frame);
      if (fault === 1) this.wire.push(frame);
      if (fault === 2) this.wire.push(log[this.random(log.length)]);
    }
    this.sent = log.length;
  }

  receive(count) {
    for (const frame of this.wire.splice(0, count)) this.take(frame);
  }

  take(frame) {
    const { state, effects } = reduce(this.state, frame, 0);
    this.state = state;
    if (effects.some((effect) => effect.do === "open")) this.open();
  }

  open() {
    this.wire.push(...this.server.open(this.state.cursor));
    this.sent = this.server.log.length;
  }

  reconnect() {
    this.wire = [];
    this.state = reconnected(this.state);
    this.open();
  }
}

test("whatever the connection does, the page shows what the server has", () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const random = randomFrom(seed);
    const server = new Server(random);
    const page = new Page(server, random);
    for (let k = 0; k < 120; k += 1) {
      server.step();
      page.listen();
      page.receive(random(4));
      if (random(25) === 0) page.reconnect();
    }
    page.reconnect();
    while (page.wire.length > 0) page.receive(Infinity);
    const shown = page.state.turns.t;
    const told = server.turn.running;
    assert.equal(shown.epoch, server.turn.epoch, `seed ${seed}`);
    assert.equal(shown.running?.content.text, told?.parts.content, `seed ${seed}`);
    assert.equal(shown.running?.reasoning.text, told?.parts.reasoning, `seed ${seed}`);
    server.end();
    page.reconnect();
    page.receive(Infinity);
    assert.equal(isOpen(page.state.turns.t), false, `seed ${seed}`);
  }
});

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

test("a conversation that is deleted has nothing under way, whatever still comes of it", () => {
  const { state, effects } = reduce(run(STREAMING).state, event(4, "deleted"), 0);
  assert.deepEqual(effects, [{ do: "deleted" }]);
  assert.equal(runningTurn(state), null);
  assert.equal(runningTurn(reduce(state, delta(5, 0, "late"), 0).state), null);
});

test("a conversation that cannot be opened any more was deleted meanwhile", () => {
  const refusal = { type: "error", code: "unknown", error: "There is none." };
  const ours = reduce(run(STREAMING).state, { ...refusal, conversation: CONVERSATION }, 0);
  assert.deepEqual(ours.effects, [{ do: "deleted" }]);
  const subagents = reduce(run(STREAMING).state, { ...refusal, conversation: "nested" }, 0);
  assert.deepEqual(subagents.effects, []);
  assert.deepEqual(reduce(run(STREAMING).state, refusal, 0).effects, []);
});
