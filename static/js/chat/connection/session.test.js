// The session between a socket and a server that a test answers for.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Gone } from "./server.js";
import { Session } from "./session.js";
import { CONVERSATION, STREAMING, event, snapshot } from "./state_frames.js";

const OUTBOX = { sendable: () => [], mine: () => [], get: () => null };
const FOOT = { queued: [], show() {} };
const THREAD = { shownState: () => null, showTurn() {}, showThread() {}, showBranch() {} };

class Socket extends EventTarget {
  isReady = true;

  send = () => true;

  take(...frames) {
    this.dispatchEvent(new CustomEvent("frames", { detail: frames }));
  }
}

// A server that answers what `answers` has for an address; what was asked for is in `asked`.
function serverOf(answers) {
  const asked = [];
  const url = (name, id) => `${name}/${id}`;
  const getUrl = async (address) => {
    asked.push(address);
    return answers[address]?.() ?? "";
  };
  return { asked, url, getUrl, get: (name, id) => getUrl(url(name, id)) };
}

function sessionOf(server, thread = THREAD) {
  const socket = new Socket();
  const parts = { socket, server, outbox: OUTBOX, foot: FOOT, thread };
  return { socket, session: new Session({ ...parts, conversation: CONVERSATION }) };
}

const running = { turn: "v", state: "streaming", epoch: 1, message: "m", error: null };

test("what follows a branch that was deleted before it could be shown is shown", async () => {
  const gone = () => {
    throw new Gone();
  };
  const server = serverOf({ "thread/c?around=u": gone });
  const { socket } = sessionOf(server);
  socket.take(...STREAMING, event(4, "branch", { turn: "u" }));
  socket.take(snapshot("7-5", [running]));
  await new Promise(setImmediate);
  assert.ok(server.asked.includes("thread/c"));
  assert.ok(server.asked.includes("turn/v"));
});

test("turns that come while a branch is fetched are shown after it", async () => {
  const shown = [];
  const server = serverOf({
    "thread/c?around=u": () => shown.push("branch"),
    "turn/v": () => shown.push("turn"),
  });
  const { socket } = sessionOf(server);
  socket.take(...STREAMING, event(4, "branch", { turn: "u" }));
  socket.take(snapshot("7-5", [running]));
  await new Promise(setImmediate);
  assert.deepEqual(shown, ["branch", "turn"]);
});

test("a turn that was fetched before another branch was chosen does not come into it", async () => {
  let answer = null;
  const shown = [];
  const held = new Promise((resolve) => {
    answer = resolve;
  });
  const server = serverOf({ "turn/t": () => held });
  const { socket } = sessionOf(server, { ...THREAD, showTurn: (id) => shown.push(id) });
  socket.take(...STREAMING);
  socket.take(event(4, "branch", { turn: "u" }));
  socket.take(snapshot("7-5", []));
  answer("of the branch before");
  await new Promise(setImmediate);
  assert.deepEqual(shown, []);
});
