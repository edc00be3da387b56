import assert from "node:assert/strict";
import test from "node:test";

import { momentAt, readRounds, roundAt, share } from "./scrub.js";

const ROUNDS = readRounds("1:0:1400 2:1420:1900");

test("a moment belongs to the round that went on, or had ended last", () => {
  const numbers = [-5, 0, 1410, 1420, 5000].map((ms) => roundAt(ROUNDS, ms).number);
  assert.deepEqual(numbers, [1, 1, 1, 2, 2]);
  assert.equal(roundAt([], 3), null);
});

test("the latest moment counts, of two at once the later one", () => {
  const moments = [
    { at: 0, step: 0 },
    { at: 10, step: 1 },
    { at: 10, step: 2 },
    { at: 30, step: 3 },
  ];
  assert.deepEqual([0, 9, 10, 29, 99].map((us) => momentAt(moments, us).step), [0, 0, 2, 2, 3]);
});

test("a share stays within its stretch, even an empty one", () => {
  assert.deepEqual([-1, 700, 9000].map((ms) => share(ms, ROUNDS[0])), [0, 0.5, 1]);
  assert.equal(share(5, { start: 5, end: 5 }), 0);
});
