import assert from "node:assert/strict";
import { test } from "node:test";

import { fits } from "./offers_search.js";

const REVIEW = {
  server: "github",
  name: "code_review",
  title: "Review",
  description: "Looks through a change for mistakes",
};

test("a prompt is found by two words from different places", () => {
  assert.ok(fits(REVIEW, "github review"));
  assert.ok(fits(REVIEW, "mistakes CODE"));
  assert.ok(fits(REVIEW, "/review change"));
});

test("every word has to be there", () => {
  assert.ok(!fits(REVIEW, "review memory"));
});

test("nothing typed leaves everything", () => {
  assert.ok(fits(REVIEW, ""));
  assert.ok(fits(REVIEW, "/"));
});

test("a resource is found by its address", () => {
  assert.ok(fits({ server: "files", name: "notes", uri: "memo://notes" }, "memo files"));
});
