import assert from "node:assert/strict";
import { test } from "node:test";

import { tailLook } from "./tail.js";

test("text is shown without the blank lines before it", () => {
  assert.deepEqual(tailLook("\n\n  so"), { kind: "text", skip: 2 });
  assert.deepEqual(tailLook(""), { kind: "text", skip: 0 });
});

test("code is shown without the line that opens it, which may still be under way", () => {
  assert.deepEqual(tailLook("```pyth"), { kind: "code", skip: 7 });
  assert.deepEqual(tailLook("\n```python\nx = 1"), { kind: "code", skip: 11 });
});

test("a table is known by its first bar", () => {
  assert.deepEqual(tailLook("| a | b"), { kind: "table", skip: 0 });
});
