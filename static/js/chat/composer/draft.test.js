import assert from "node:assert/strict";
import { test } from "node:test";

import { MemoryStorage } from "../../base/storage.js";
import { Draft } from "./draft.js";

function counting() {
  const storage = new MemoryStorage();
  storage.writes = 0;
  const set = storage.setItem.bind(storage);
  storage.setItem = (...pair) => {
    storage.writes += 1;
    set(...pair);
  };
  return storage;
}

function drafted(storage = counting()) {
  const draft = new Draft(storage, 60_000);
  draft.use("a");
  return { draft, storage };
}

test("many keys are one write", () => {
  const { draft, storage } = drafted();
  for (const text of ["h", "he", "hey"]) draft.put(text);
  assert.equal(storage.writes, 0);
  draft.flush();
  draft.flush();
  assert.equal(storage.getItem("a"), "hey");
  assert.equal(storage.writes, 1);
});

test("an empty text is forgotten at once", () => {
  const { draft, storage } = drafted();
  draft.put("sent");
  draft.flush();
  draft.put("");
  assert.equal(storage.getItem("a"), null);
});

test("another key keeps what is typed from then on, and nothing is left behind", () => {
  const { draft, storage } = drafted();
  draft.put("typed");
  draft.move("b");
  draft.put("typed on");
  draft.flush();
  assert.equal(storage.getItem("a"), null);
  assert.equal(storage.getItem("b"), "typed on");
});

test("a storage that is full is no error", () => {
  const full = { getItem: () => null, setItem: () => assert.fail("full"), removeItem: () => {} };
  const { draft } = drafted(full);
  draft.put("x");
  draft.flush();
});
