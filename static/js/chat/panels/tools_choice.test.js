import assert from "node:assert/strict";
import { test } from "node:test";

import { choiceOf, countOf, noteOf } from "./tools_choice.js";

const rows = [
  {
    name: "",
    tools: [
      { name: "calculate", on: false, tokens: 10 },
      { name: "todo", on: true, optIn: true, tokens: 100 },
      { name: "bash", on: false, optIn: true, tokens: 100 },
    ],
  },
  {
    name: "files",
    tools: [
      { name: "files-read", on: true, tokens: 1500 },
      { name: "files-write", on: false, tokens: 10 },
    ],
  },
  { name: "dead", tools: [{ name: "dead-x", on: false, tokens: 10 }] },
  { name: "empty", tools: [] },
];

test("a server counts while one of its usual tools is on", () => {
  assert.deepEqual(choiceOf(rows), { servers: ["files"], off: ["files-write"], on: ["todo"] });
});

test("what has to be named is never switched off by name", () => {
  const local = [{ name: "", tools: [{ name: "calculate", on: true }, { name: "bash", on: false, optIn: true }] }];
  assert.deepEqual(choiceOf(local), { servers: [""], off: [], on: [] });
});

test("what is on is counted", () => {
  assert.equal(countOf(rows), 2);
});

test("nothing on is a choice too", () => {
  assert.deepEqual(choiceOf([]), { servers: [], off: [], on: [] });
});

test("the note says what all of it costs", () => {
  assert.equal(noteOf(rows, 20), "2 tools, all sent with each request: about 1,600 tokens.");
  assert.equal(noteOf(rows.slice(1), 20), "1 tool, sent with each request: about 1,500 tokens.");
  assert.equal(noteOf([], 20), "No tool is on.");
});

test("of too many it says how many are sent, unless all are", () => {
  assert.match(noteOf(rows, 1), /^2 tools, 1 sent, the model can search the rest\./);
  assert.match(noteOf(rows, 0), /all sent/);
});
