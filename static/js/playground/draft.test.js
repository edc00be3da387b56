import assert from "node:assert/strict";
import { test } from "node:test";

import * as drafts from "./draft.js";

const CALL = { id: "a", type: "function", function: { name: "count", arguments: "{}" } };

test("a draft round-trips, unknown members included", () => {
  const text = drafts.write({ model: "m", messages: [{ role: "user", content: "数", odd: [1, null] }], more: {} });
  assert.equal(drafts.write(drafts.draftOf(text)), text);
});

test("what is no object is no draft", () => {
  for (const text of ["", "[]", "1", "null", "{"]) assert.equal(drafts.draftOf(text), null);
});

test("a form shows messages that are objects", () => {
  assert.ok(drafts.isShowable({ messages: [{}] }));
  assert.ok(!drafts.isShowable({ messages: ["a"] }));
  assert.ok(!drafts.isShowable({ messages: {} }));
  assert.ok(!drafts.isShowable({ parameters: [] }));
});

test("a number is a number, and anything else stays what was typed", () => {
  assert.equal(drafts.numberOf(" 0.5 "), 0.5);
  assert.equal(drafts.numberOf("a lot"), "a lot");
  assert.equal(drafts.numberOf("0x10"), "0x10");
  assert.equal(drafts.numberOf(""), undefined);
});

test("JSON that is none yet stays what was typed", () => {
  assert.deepEqual(drafts.jsonOf("[1]"), [1]);
  assert.equal(drafts.jsonOf("[1"), "[1");
  assert.equal(drafts.shownJSON(drafts.jsonOf("[1")), "[1");
});

test("lines have their breaks and backslashes back", () => {
  const stops = ["a\nb", "c\\n", "d"];
  assert.deepEqual(drafts.linesOf(drafts.shownLines(stops)), stops);
  assert.equal(drafts.linesOf(""), undefined);
});

test("members are set by path and taken away", () => {
  const draft = {};
  drafts.set(draft, "parameters.seed", 7);
  assert.equal(drafts.get(draft, "parameters.seed"), 7);
  drafts.set(draft, "parameters.seed", undefined);
  assert.deepEqual(draft, { parameters: {} });
});

test("a system message comes first, a result answers the open call", () => {
  const draft = { messages: [{ role: "user", content: "x" }, { role: "assistant", content: "", tool_calls: [CALL] }] };
  assert.equal(drafts.add(draft, "system"), 0);
  assert.equal(draft.messages[drafts.add(draft, "tool")].tool_call_id, "a");
  assert.equal(draft.messages[drafts.add(draft, "tool")].tool_call_id, "");
});

test("messages move within the list", () => {
  const draft = { messages: [{ role: "user" }, { role: "assistant" }] };
  assert.equal(drafts.move(draft, 1, -1), 0);
  assert.deepEqual(draft.messages.map((one) => one.role), ["assistant", "user"]);
  assert.equal(drafts.move(draft, 1, 1), 1);
  drafts.remove(draft, 0);
  assert.equal(draft.messages.length, 1);
});

test("calls get ids of their own, and none leaves no list behind", () => {
  const message = { role: "assistant", content: "" };
  drafts.addCall(message);
  drafts.addCall(message);
  assert.deepEqual(message.tool_calls.map((call) => call.id), ["call_1", "call_2"]);
  drafts.removeCall(message, 0);
  drafts.addCall(message);
  assert.notEqual(message.tool_calls[0].id, message.tool_calls[1].id);
  drafts.removeCall(message, 0);
  drafts.removeCall(message, 0);
  assert.deepEqual(message, { role: "assistant", content: "" });
});

test("what the form does not show is named", () => {
  assert.deepEqual(drafts.alsoHas({ role: "user", content: "", name: "x", kept_by: "y" }), ["name", "kept_by"]);
});
