import assert from "node:assert/strict";
import { test } from "node:test";
import { mayChange } from "../page/members.js";
import { hereText, writingText } from "./together.js";

test("who is there is named, at most three of them", () => {
  assert.equal(hereText([]), "");
  assert.equal(hereText(["ada", "bob"]), "here: ada, bob");
  assert.equal(hereText(["a", "b", "c", "d", "e"]), "here: a, b, c +2");
});

test("who is writing is named", () => {
  assert.equal(writingText([]), "");
  assert.equal(writingText(["ada"]), "ada is writing …");
  assert.equal(writingText(["ada", "bob"]), "ada, bob are writing …");
});

test("a member changes their own turns, the owner all", () => {
  const member = { dataset: { member: "bob" } };
  assert.equal(mayChange(null, member), false);
  assert.equal(mayChange({ author: "ada" }, member), false);
  assert.equal(mayChange({ author: null }, member), false);
  assert.equal(mayChange({ author: "bob" }, member), true);
  assert.equal(mayChange({ author: "bob" }, { dataset: {} }), true);
});
