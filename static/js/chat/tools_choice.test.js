import assert from "node:assert/strict";
import { test } from "node:test";

import { choiceOf, countOf } from "./tools_choice.js";

const rows = [
  { name: "files", tools: [{ name: "files-read", on: true }, { name: "files-write", on: false }] },
  { name: "dead", tools: [{ name: "dead-x", on: false }] },
  { name: "empty", tools: [] },
];

test("a server counts while one of its tools is on", () => {
  assert.deepEqual(choiceOf(rows), { servers: ["files"], off: ["files-write"] });
});

test("what is on is counted", () => {
  assert.equal(countOf(rows), 1);
});

test("nothing on is a choice too", () => {
  assert.deepEqual(choiceOf([]), { servers: [], off: [] });
});
