import assert from "node:assert/strict";
import { test } from "node:test";

import { keyOf, moved } from "./keys.js";

test("keys do nothing while somebody types, or with a modifier", () => {
  assert.equal(keyOf({ key: "j" }, false), "next");
  assert.equal(keyOf({ key: "j" }, true), null);
  assert.equal(keyOf({ key: "k", ctrlKey: true }, false), null);
  assert.equal(keyOf({ key: "q" }, false), null);
});

test("moving begins at an end and stays within the rows", () => {
  assert.equal(moved("next", -1, 3), 0);
  assert.equal(moved("previous", -1, 3), 2);
  assert.equal(moved("next", 2, 3), 2);
  assert.equal(moved("previous", 1, 3), 0);
  assert.equal(moved("next", -1, 0), -1);
});
