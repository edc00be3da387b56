import assert from "node:assert/strict";
import { test } from "node:test";

import { problemOfLength, tokensOf } from "./message_length.js";

const model = { name: "Small", window: 4_000 };

test("a text has a token for four characters of ASCII, or one and a half others", () => {
  assert.equal(tokensOf("x".repeat(400)), 100);
  assert.equal(tokensOf("数".repeat(300)), 200);
});

test("what is longer than the window says so with the estimate", () => {
  assert.equal(problemOfLength("x".repeat(15_000), [], model), "");
  assert.equal(
    problemOfLength("x".repeat(40_000), [], model),
    "The message has about 10,000 tokens; Small takes 4,000. Shorten it, or choose a model with a larger context window.",
  );
});

test("attachments count, and without a known window nothing is too long", () => {
  const attached = [{ mediaType: "text/plain", size: 30_000 }];
  assert.match(problemOfLength("", attached, model), /10,000 tokens/);
  assert.equal(problemOfLength("x".repeat(900_000), attached, { name: "Any", window: 0 }), "");
});
