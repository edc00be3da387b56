import assert from "node:assert/strict";
import { test } from "node:test";

import { occurrences } from "./occurrences.js";

test("words are found whatever their case", () => {
  assert.deepEqual(occurrences(["One ONE"], "one"), [
    { start: [0, 0], end: [0, 3] },
    { start: [0, 4], end: [0, 7] },
  ]);
});

test("words that several pieces share are found", () => {
  assert.deepEqual(occurrences(["a na", "", "me b"], "name"), [{ start: [0, 2], end: [2, 2] }]);
});

test("a letter that grows in lower case does not move the place", () => {
  assert.deepEqual(occurrences(["\u0130\u0130 word"], "word"), [{ start: [0, 3], end: [0, 7] }]);
});

test("what does not occur, and nothing, is nowhere", () => {
  assert.deepEqual(occurrences(["a"], "b"), []);
  assert.deepEqual(occurrences(["a"], ""), []);
  assert.deepEqual(occurrences([], "a"), []);
});
