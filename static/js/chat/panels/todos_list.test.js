import assert from "node:assert/strict";
import { test } from "node:test";

import { countOf, isOver, isUnfolded, newsOf, nowOf } from "./todos_list.js";

const item = (id, status = "pending", text = `thing ${id}`) => ({ id, text, status });

const HALF = [item("1", "completed"), item("2", "in_progress"), item("3")];
const DONE = [item("1", "completed")];

test("the count says how many are done", () => {
  assert.equal(countOf(HALF), "1 of 3");
});

test("what is worked on stands before what comes next", () => {
  assert.equal(nowOf(HALF), "now: thing 2");
  assert.equal(nowOf([item("1", "completed"), item("2")]), "next: thing 2");
  assert.equal(nowOf(DONE), "");
});

test("a list is over when all of it is done, or nothing is on it", () => {
  assert.deepEqual([isOver(HALF), isOver(DONE), isOver([])], [false, true, true]);
});

test("only what was done is news", () => {
  assert.equal(newsOf([], [item("1")]), "");
  assert.equal(newsOf([item("1")], [item("1", "in_progress")]), "");
  assert.equal(newsOf([item("1"), item("2")], HALF), "Plan: 1 of 3 done, now: thing 2");
  assert.equal(newsOf(HALF, DONE.concat(DONE)), "Plan: all done");
  assert.equal(newsOf(HALF, HALF), "");
});

test("the list is unfolded where there is room, until it is over; a choice counts more", () => {
  assert.equal(isUnfolded(HALF, null, true), true);
  assert.equal(isUnfolded(HALF, null, false), false);
  assert.equal(isUnfolded(DONE, null, true), false);
  assert.equal(isUnfolded(DONE, true, false), true);
  assert.equal(isUnfolded(HALF, false, true), false);
});
