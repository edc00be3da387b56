import assert from "node:assert/strict";
import { test } from "node:test";

import { partUrl, placeOf, stepOf, target } from "./steps.js";

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

test("arrow keys, brackets, Home and End step", () => {
  const steps = ["ArrowLeft", "ArrowRight", "[", "]", "Home", "End", "x"].map((key) => stepOf({ key }));
  assert.deepEqual(steps, ["previous", "next", "previous", "next", "first", "last", null]);
});

test("a key with a modifier or inside a field does not step", () => {
  assert.equal(stepOf({ key: "ArrowLeft", altKey: true }), null);
  assert.equal(stepOf({ key: "ArrowLeft" }, "field"), null);
});

test("inside a text that scrolls, Home and End lead to its ends", () => {
  const steps = ["Home", "End", "ArrowLeft"].map((key) => stepOf({ key }, "scroller"));
  assert.deepEqual(steps, [null, null, "previous"]);
});

test("a step keeps how stages are shown and drops what belonged to the round before", () => {
  assert.equal(placeOf("?round=2&view=json&attempt=1&unfold=input", 3), "?round=3&view=json");
  assert.equal(placeOf("?round=2&response=chunks&part=4", 3), "?round=3&response=chunks");
  assert.equal(placeOf("", 1), "?round=1");
});

test("the address of a round's part has the round in its path", () => {
  assert.equal(partUrl("/traces/x/rounds/0", "?round=20&view=json"), "/traces/x/rounds/20?view=json");
  assert.equal(partUrl("/traces/x/rounds/0", "?round=2"), "/traces/x/rounds/2");
});
