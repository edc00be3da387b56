import assert from "node:assert/strict";
import { test } from "node:test";

import { Commands, keyCaps } from "./commands.js";

const press = (key, more = {}) => ({ key, ...more });
const run = () => {};

function registry() {
  const commands = new Commands();
  commands.register(
    { id: "palette", name: "Commands", keys: "Mod+K", run },
    { id: "new", name: "New conversation", keys: "Mod+Shift+O", run },
    { id: "shortcuts", name: "Shortcuts", keys: "?", run },
    { id: "stop", name: "Stop", keys: "Escape", shown: ["Esc", "Esc"], run },
    { id: "line", name: "Start a new line", shown: ["Shift", "Enter"] },
  );
  return commands;
}

const meant = (event, isInField) => registry().of(event, isInField)?.id ?? null;

test("keys with a modifier count everywhere", () => {
  assert.equal(meant(press("k", { ctrlKey: true }), true), "palette");
  assert.equal(meant(press("K", { metaKey: true }), true), "palette");
  assert.equal(meant(press("O", { ctrlKey: true, shiftKey: true }), true), "new");
  assert.equal(meant(press("o", { ctrlKey: true }), true), null);
});

test("letters alone are typed in a field and mean something outside", () => {
  assert.equal(meant(press("?"), true), null);
  assert.equal(meant(press("?", { shiftKey: true }), false), "shortcuts");
  assert.equal(meant(press("?", { ctrlKey: true }), false), null);
});

test("Escape of an input method is its own", () => {
  assert.equal(meant(press("Escape", { isComposing: true }), true), null);
  assert.equal(meant(press("Escape"), true), "stop");
});

test("what cannot be done now has no key and is not offered", () => {
  const commands = new Commands();
  commands.register({ id: "stop", name: "Stop", keys: "Escape", run, isOffered: () => false });
  assert.equal(commands.of(press("Escape"), false), null);
  assert.deepEqual(commands.offered(), []);
  assert.equal(commands.withKeys().length, 1);
});

test("what the page shows now is asked for each time", () => {
  const commands = registry();
  let models = ["a"];
  commands.provide(() => models.map((id) => ({ id, name: id, run })));
  assert.equal(commands.offered().at(-1).id, "a");
  models = ["b"];
  assert.equal(commands.offered().at(-1).id, "b");
});

test("a key of another part of the page is listed and not offered", () => {
  const commands = registry();
  assert.ok(commands.withKeys().some(({ id }) => id === "line"));
  assert.ok(!commands.offered().some(({ id }) => id === "line"));
});

test("a list shows the keys as they stand on the keyboard", () => {
  assert.deepEqual(keyCaps({ keys: "Mod+Shift+O" }, false), ["Ctrl", "Shift", "O"]);
  assert.deepEqual(keyCaps({ keys: "Mod+K" }, true), ["⌘", "K"]);
  assert.deepEqual(keyCaps({ keys: "Escape", shown: ["Esc", "Esc"] }, false), ["Esc", "Esc"]);
});
