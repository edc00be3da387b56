import assert from "node:assert/strict";
import { test } from "node:test";

import { deedOf } from "./keys.js";

const deeds = (keys, inside) => keys.map((key) => deedOf({ key }, inside));

test("arrows step, brackets and the ends lead to rounds, space plays, j and k lead through the rows", () => {
  assert.deepEqual(deeds(["ArrowLeft", "ArrowRight", "[", "]", "Home", "End"]), [
    "back",
    "forward",
    "previous",
    "next",
    "first",
    "last",
  ]);
  assert.deepEqual(deeds([" ", "j", "k", "?", "x"]), ["play", "row-down", "row-up", "shortcuts", null]);
});

test("a key with a modifier or inside a field means nothing here", () => {
  assert.equal(deedOf({ key: "ArrowLeft", altKey: true }), null);
  assert.equal(deedOf({ key: "j", shiftKey: true }), null);
  assert.equal(deedOf({ key: "ArrowLeft" }, "field"), null);
});

test("a question mark is typed with shift", () => {
  assert.equal(deedOf({ key: "?", shiftKey: true }), "shortcuts");
});

test("inside a text that scrolls, keys that scroll it are its own", () => {
  assert.deepEqual(deeds(["Home", "End", " ", "ArrowLeft"], "scroller"), [null, null, null, "back"]);
});

test("space presses the control that has the focus", () => {
  assert.deepEqual(deeds([" ", "ArrowRight"], "control"), [null, "forward"]);
});
