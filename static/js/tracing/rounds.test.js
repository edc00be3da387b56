import assert from "node:assert/strict";
import { test } from "node:test";

import { target } from "./rounds.js";

test("steps lead to the neighbours and to the ends", () => {
  const from = (current) => ["first", "previous", "next", "last"].map((step) => target(step, [1, 2, 3], current));
  assert.deepEqual(from(2), [1, 1, 3, 3]);
});

test("there is no step beyond an end", () => {
  assert.equal(target("previous", [1, 2], 1), null);
  assert.equal(target("first", [1, 2], 1), null);
  assert.equal(target("next", [1, 2], 2), null);
  assert.equal(target("last", [1], 1), null);
});
