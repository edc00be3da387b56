import assert from "node:assert/strict";
import { test } from "node:test";

import { fits, hasFields, rowsOf } from "./offers_search.js";

const prompt = {
  server: "github",
  name: "code_review",
  title: "Review",
  description: "Looks through a change for mistakes",
};
const [review] = rowsOf({ prompts: [prompt] });

test("a prompt is found by two words from different places", () => {
  assert.ok(fits(review, "github review"));
  assert.ok(fits(review, "mistakes CODE"));
  assert.ok(fits(review, "/review change"));
});

test("every word has to be there", () => {
  assert.ok(!fits(review, "review memory"));
});

test("nothing typed leaves everything", () => {
  assert.ok(fits(review, ""));
  assert.ok(fits(review, "/"));
});

test("a resource is found by its address", () => {
  const [notes] = rowsOf({ resources: [{ server: "files", name: "notes", uri: "memo://notes" }] });
  assert.ok(fits(notes, "memo files"));
  assert.equal(notes.name, "notes");
});

test("prompts of people, of servers, and skills are one list", () => {
  const rows = rowsOf({
    templates: [{ name: "翻译", is_shared: true }],
    prompts: [prompt],
    skills: [{ name: "pdf" }],
  });
  assert.deepEqual(rows.map(({ name }) => name), ["/翻译", "/Review", "/pdf"]);
  assert.deepEqual(rows.map(({ from }) => from), ["For everybody", "github", "Skill"]);
});

test("only what has variables asks for them", () => {
  assert.equal(hasFields(rowsOf({ templates: [{ name: "a", arguments: [{ name: "x" }] }] })[0]), true);
  assert.equal(hasFields(rowsOf({ templates: [{ name: "a", arguments: [] }] })[0]), false);
  assert.equal(hasFields(review), false);
});
