import assert from "node:assert/strict";
import { test } from "node:test";

import { addLabel, matches } from "./filter.js";

test("no words leave everything", () => {
  assert.ok(matches("anything", ""));
  assert.ok(matches("anything", "  "));
});

test("all words have to be there, in any order and case", () => {
  assert.ok(matches("qwen/Qwen3-235B Qwen: Qwen3 235B", "235b QWEN"));
  assert.ok(!matches("qwen/Qwen3-235B", "qwen gpt"));
});

test("words of other scripts are found", () => {
  assert.ok(matches("千问:8b", "千问"));
});

test("the button counts", () => {
  assert.equal(addLabel(0), "Add the ticked models");
  assert.equal(addLabel(1), "Add 1 model");
  assert.equal(addLabel(12), "Add 12 models");
});
