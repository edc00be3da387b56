import assert from "node:assert/strict";
import { test } from "node:test";

import { shareText, thousandths } from "./shares.js";

test("shares are whole and sum to the whole", () => {
  assert.deepEqual(thousandths([1, 1, 1]), [334, 333, 333]);
  assert.deepEqual(thousandths([0, 5]), [0, 1000]);
  for (const counts of [[7, 11, 13, 0.5], [1e-9, 1e9], [3, 3, 3, 3, 3, 3, 3]]) {
    assert.equal(thousandths(counts).reduce((sum, count) => sum + count), 1000);
  }
});

test("nothing has no shares", () => {
  assert.deepEqual(thousandths([]), []);
  assert.deepEqual(thousandths([0, 0]), [0, 0]);
});

test("a share that cannot be told is said to be small", () => {
  assert.deepEqual([0, 1, 342, 1000].map(shareText), ["< 0.1 %", "0.1 %", "34.2 %", "100.0 %"]);
});
