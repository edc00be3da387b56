import assert from "node:assert/strict";
import { test } from "node:test";

import { sendFrame } from "./send_frame.js";

const MESSAGE = { key: "k", conversation: "c", model: "m", text: "Why?", attachments: [] };
const SENT = { type: "send", key: "k", conversation: "c", model: "m", text: "Why?" };

test("what a message does not have is not in its frame", () => {
  const message = { ...MESSAGE, again: null, note: false, alternative: null, compare: null };
  assert.deepEqual(sendFrame(message), { frame: SENT, problem: null });
});

test("a frame names what is attached, edited and compared", () => {
  const message = {
    ...MESSAGE,
    attachments: [{ id: "a", name: "a.txt" }],
    alternative: { edit: "q", cut: "t" },
    compare: [{ kind: "model", id: "x", name: "X" }, { kind: "preset", id: "y", name: "Y" }],
  };
  const named = { attachments: ["a"], edit: "q", compare: [{ model: "x" }, { preset: "y" }] };
  assert.deepEqual(sendFrame(message).frame, { ...SENT, ...named });
});

test("what a conversation begins with goes along with its first message alone", () => {
  const chosen = { ...MESSAGE, temporary: true, project: "p", tools: null };
  assert.deepEqual(sendFrame(chosen).frame, SENT);
  const frame = sendFrame({ ...chosen, conversation: null }).frame;
  assert.deepEqual(frame, { ...SENT, conversation: null, temporary: true, project: "p" });
});

test("a message that is longer than a frame may be says so", () => {
  const { problem } = sendFrame({ ...MESSAGE, text: "x".repeat(1_100_000) });
  assert.match(problem, /Shorten it/);
});
