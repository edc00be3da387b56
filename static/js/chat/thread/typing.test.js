import assert from "node:assert/strict";
import { test } from "node:test";

import { sendsOn, shortcutOf } from "./typing.js";

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

test("shortcuts with a modifier count everywhere", () => {
  assert.equal(shortcutOf(press("k", { ctrlKey: true }), true), "search");
  assert.equal(shortcutOf(press("K", { metaKey: true }), true), "search");
  assert.equal(shortcutOf(press("O", { ctrlKey: true, shiftKey: true }), true), "new");
  assert.equal(shortcutOf(press("o", { ctrlKey: true }), true), null);
});

test("letters alone are typed in a field and mean something outside", () => {
  assert.equal(shortcutOf(press("?"), true), null);
  assert.equal(shortcutOf(press("?"), false), "shortcuts");
  assert.equal(shortcutOf(press("/"), false), "message");
});

test("Escape of an input method is its own", () => {
  assert.equal(shortcutOf(press("Escape", { isComposing: true }), true), null);
  assert.equal(shortcutOf(press("Escape"), true), "stop");
});
