import assert from "node:assert/strict";
import { test } from "node:test";

import { mentioned } from "./mentioned.js";

test("a path is put into the message as a word of its own", () => {
  assert.deepEqual(mentioned("", 0, 0, "a.csv"), { text: "a.csv ", caret: 6 });
  assert.deepEqual(mentioned("Read", 4, 4, "a.csv"), { text: "Read a.csv ", caret: 11 });
  assert.deepEqual(mentioned("Read x now", 5, 6, "a.csv"), { text: "Read a.csv now", caret: 10 });
});

test("a path with spaces is quoted", () => {
  assert.equal(mentioned("", 0, 0, "my file.csv").text, '"my file.csv" ');
});
