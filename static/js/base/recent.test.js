import assert from "node:assert/strict";
import { test } from "node:test";

import { Recent } from "./recent.js";
import { MemoryStorage } from "./storage.js";

const all = ["a", "b", "c", "d", "e", "f"].map((id) => ({ id }));
const ids = (commands) => commands.map(({ id }) => id);

test("what was run last comes first, each once", () => {
  const recent = new Recent(new MemoryStorage());
  for (const id of ["a", "b", "a"]) recent.add(id);
  assert.deepEqual(ids(recent.of(all)), ["a", "b"]);
});

test("a few are shown, and only what can be done now", () => {
  const recent = new Recent(new MemoryStorage());
  for (const id of ["gone", ...ids(all)]) recent.add(id);
  assert.deepEqual(ids(recent.of(all)), ["f", "e", "d", "c"]);
  assert.deepEqual(ids(recent.of([{ id: "gone" }])), ["gone"]);
});

test("what is no list in storage is none", () => {
  const storage = new MemoryStorage();
  storage.setItem("recent-commands", "{");
  assert.deepEqual(new Recent(storage).of(all), []);
  storage.setItem("recent-commands", '{"a": 1}');
  assert.deepEqual(new Recent(storage).of(all), []);
});
