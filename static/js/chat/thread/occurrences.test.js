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

test("all words of a search are found, each from its beginning", () => {
  const starts = (text, query) => occurrences([text], query).map(({ start }) => start[1]);
  assert.deepEqual(starts("plan planning replan", "plan"), [0, 5]);
  assert.deepEqual(starts("two words, one word", "word two"), [0, 4, 15]);
  assert.deepEqual(starts("one, two and two one", '"one two"'), [0]);
  assert.deepEqual(starts("我的数据库里有数据", "数据"), [2, 7]);
});

test("what does not occur, and nothing, is nowhere", () => {
  assert.deepEqual(occurrences(["a"], "b"), []);
  assert.deepEqual(occurrences(["a"], ""), []);
  assert.deepEqual(occurrences([], "a"), []);
});
