import assert from "node:assert/strict";
import { test } from "node:test";

import { termsOf } from "./terms.js";

test("words and phrases are terms, signs around them are not", () => {
  assert.deepEqual(termsOf('数据库 "two words" wor* (x)'), ["数据库", "two words", "wor", "x"]);
  assert.deepEqual(termsOf('"open phrase'), ["open phrase"]);
  assert.deepEqual(termsOf("a a *"), ["a"]);
});
