import assert from "node:assert/strict";
import { test } from "node:test";

import { detailOf, percentOf, ruleOf, warns } from "./context_share.js";

const share = (changes = {}) => ({
  tokens: 15360,
  window: 128000,
  threshold: 0.8,
  estimated: false,
  ...changes,
});

test("the share is of the whole window", () => {
  assert.equal(percentOf(share()), 12);
  assert.equal(percentOf(share({ window: 0 })), 0);
});

test("it warns above the threshold, if there is one", () => {
  assert.equal(warns(share({ tokens: 110_000 })), true);
  assert.equal(warns(share()), false);
  assert.equal(warns(share({ tokens: 127_000, threshold: 0 })), false);
});

test("a counted figure and an estimate are told apart", () => {
  const counted = "15,360 of 128,000 tokens, as the provider counted the latest answer.";
  assert.equal(detailOf(share()), counted);
  assert.match(detailOf(share({ estimated: true })), /^About 15,360 .* estimated/);
});

test("what happens by itself is said", () => {
  assert.equal(ruleOf(share()), "At 80 %, older messages are summarised automatically.");
  assert.match(ruleOf(share({ threshold: 0 })), /summarised only when you ask/);
});
