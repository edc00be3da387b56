import assert from "node:assert/strict";
import { test } from "node:test";

import { begun, countOf, placeOf, stepped } from "./find_state.js";

const two = [
  { message: "m1", turn: "t1" },
  { message: "m2", turn: "t2" },
];

test("a search begins at the last message and goes round", () => {
  const state = begun(two, false);
  assert.equal(placeOf(state), "#turn-t2.message-m2");
  assert.equal(placeOf(stepped(state, -1)), "#turn-t1.message-m1");
  assert.equal(placeOf(stepped(state, 1)), "#turn-t1.message-m1");
});

test("the count says whether there are more", () => {
  assert.deepEqual(countOf(begun(two, true)), { n: 2, total: "2+" });
  assert.equal(countOf(begun([], false)), null);
  assert.equal(placeOf(stepped(begun([], false), 1)), null);
});
