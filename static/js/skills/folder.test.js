import assert from "node:assert/strict";
import { test } from "node:test";

import { problemOf, sizeProblem } from "./folder.js";

const file = (path, size = 10) => ({ path, size });

test("a folder with a SKILL.md is fine", () => {
  assert.equal(problemOf([file("a/SKILL.md"), file("a/scripts/run.sh")], 100, 1000), "");
});

test("an empty folder and one without a SKILL.md are refused", () => {
  assert.match(problemOf([], 100, 1000), /is empty/);
  assert.match(problemOf([file("a/skill.md")], 100, 1000), /SKILL.md is missing/);
});

test("too many files are to be packed", () => {
  assert.match(problemOf([file("SKILL.md"), file("b"), file("c")], 2, 1000), /Pack it as a zip/);
});

test("too many bytes are told with both numbers", () => {
  assert.equal(problemOf([file("SKILL.md", 2000)], 2, 1000), "It has 2.0 KB; the limit is 1.0 KB.");
});

test("an archive is measured too", () => {
  assert.equal(sizeProblem(1000, 1000), "");
  assert.match(sizeProblem(1001, 1000), /the limit is/);
});
