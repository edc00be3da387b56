import assert from "node:assert/strict";
import { test } from "node:test";

import { SubagentChannel } from "./subagent_channel.js";

class FakeSocket extends EventTarget {
  isReady = true;
  sent = [];

  send(frame) {
    this.sent.push(frame);
    return true;
  }

  hear(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

function opened() {
  const socket = new FakeSocket();
  const channel = new SubagentChannel(socket, "n");
  const heard = [];
  for (const type of ["ready", "frames", "refused"]) {
    channel.addEventListener(type, ({ detail }) => heard.push([type, detail]));
  }
  channel.open();
  return { socket, channel, heard };
}

test("it is ready at once where the socket is, and again after each connection", () => {
  const { socket, heard } = opened();
  socket.hear("ready");
  assert.deepEqual(heard.map(([type]) => type), ["ready", "ready"]);
});

test("opening the conversation is watching it; other frames go as they are", () => {
  const { socket, channel } = opened();
  channel.send({ type: "open", conversation: "n", cursor: "7-1" });
  channel.send({ type: "stop", turn: "t" });
  assert.deepEqual(socket.sent, [
    { type: "watch", conversation: "n", cursor: "7-1" },
    { type: "stop", turn: "t" },
  ]);
});

test("it hears its own frames alone", () => {
  const { socket, heard } = opened();
  const own = { type: "nested", conversation: "n", frames: [{ id: "7-1" }] };
  const other = { type: "nested", conversation: "o", frames: [{ id: "7-2" }] };
  socket.hear("frames", [{ type: "turn", id: "7-9" }, other, own]);
  assert.deepEqual(heard.slice(1), [["frames", [{ id: "7-1" }]]]);
});

test("a refusal is told", () => {
  const { socket, heard } = opened();
  const refusal = { type: "error", code: "too_many", conversation: "n", error: "Close some." };
  socket.hear("frames", [refusal]);
  assert.deepEqual(heard.at(-1), ["refused", refusal]);
});

test("once closed it says and hears nothing more", () => {
  const { socket, channel, heard } = opened();
  channel.close();
  socket.hear("ready");
  assert.equal(channel.send({ type: "stop", turn: "t" }), false);
  assert.deepEqual(socket.sent, [{ type: "unwatch", conversation: "n" }]);
  assert.equal(heard.length, 1);
});

test("without a connection it waits for one", () => {
  const socket = new FakeSocket();
  socket.isReady = false;
  const channel = new SubagentChannel(socket, "n");
  let ready = 0;
  channel.addEventListener("ready", () => (ready += 1));
  channel.open();
  assert.equal(ready, 0);
  socket.isReady = true;
  socket.hear("ready");
  assert.equal(ready, 1);
});
