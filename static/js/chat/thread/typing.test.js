import assert from "node:assert/strict";
import { test } from "node:test";

import { sendsOn } from "./typing.js";

const press = (key, more = {}) => ({ key, keyCode: 13, ...more });

test("Enter sends, Shift+Enter does not", () => {
  assert.equal(sendsOn(press("Enter")), true);
  assert.equal(sendsOn(press("Enter", { shiftKey: true })), false);
  assert.equal(sendsOn(press("a")), false);
});

test("Enter that chooses a candidate of an input method never sends", () => {
  assert.equal(sendsOn(press("Enter", { isComposing: true })), false);
  assert.equal(sendsOn(press("Enter", { isComposing: false, keyCode: 229 })), false);
});

test("who likes Ctrl+Enter better breaks the line with Enter", () => {
  assert.equal(sendsOn(press("Enter", { ctrlKey: false, metaKey: false }), "ctrl_enter"), false);
  assert.equal(sendsOn(press("Enter", { ctrlKey: true }), "ctrl_enter"), true);
  assert.equal(sendsOn(press("Enter", { metaKey: true }), "ctrl_enter"), true);
  assert.equal(sendsOn(press("Enter", { ctrlKey: true, shiftKey: true }), "ctrl_enter"), false);
});

test("Ctrl+Enter sends in either case", () => {
  assert.equal(sendsOn(press("Enter", { ctrlKey: true }), "enter"), true);
});
