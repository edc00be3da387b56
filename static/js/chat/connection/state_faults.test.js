// The state after faults of the connection, the log and the workers.

import assert from "node:assert/strict";
import { test } from "node:test";

import { initial, reconnected, reduce } from "./state.js";
import { CONVERSATION } from "./state_frames.js";
import { isOpen } from "./turn_state.js";

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
