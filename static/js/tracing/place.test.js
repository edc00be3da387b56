import assert from "node:assert/strict";
import { test } from "node:test";

import { keepStep, partUrl, placeOf, readPlace } from "./place.js";

test("a place is read from the address", () => {
  assert.deepEqual(readPlace("?round=2&attempt=1&step=response&at=120"), {
    round: 2,
    attempt: 1,
    step: "response",
    at: 120,
  });
  assert.deepEqual(readPlace("?round=x"), { round: null, attempt: null, step: null, at: null });
});

test("a place keeps how stages are shown and drops what belonged to the place before", () => {
  assert.equal(placeOf("?round=2&view=json&attempt=1&unfold=input&step=wait&at=2", 3), "?round=3&view=json");
  assert.equal(placeOf("?round=2&response=chunks&part=4", 3), "?round=3&response=chunks");
  assert.equal(placeOf("", 1), "?round=1");
});

test("a step has an address", () => {
  assert.equal(placeOf("?view=json", 2, { step: "response" }), "?round=2&step=response&view=json");
  assert.equal(
    placeOf("", 2, { attempt: 1, step: "response", at: 30 }),
    "?round=2&attempt=1&step=response&at=30",
  );
});

test("another look at the same attempt keeps the step", () => {
  const here = "?round=2&step=output";
  assert.equal(keepStep(here, "?round=2&view=json"), "?round=2&view=json&step=output");
  assert.equal(keepStep(here, "?round=2&unfold=input#stage-input"), "?round=2&unfold=input&step=output#stage-input");
  assert.equal(keepStep(here, "?round=3"), "?round=3");
  assert.equal(keepStep(here, "?round=2&attempt=1"), "?round=2&attempt=1");
  assert.equal(keepStep(here, "?round=2&span=abc"), "?round=2&span=abc");
  assert.equal(keepStep("?round=2", "?round=2&view=json"), "?round=2&view=json");
});

test("the address of a round's part has the round in its path, and no step", () => {
  assert.equal(partUrl("/traces/x/rounds/0", "?round=20&view=json&step=wait"), "/traces/x/rounds/20?view=json");
  assert.equal(partUrl("/traces/x/rounds/0", "?round=2"), "/traces/x/rounds/2");
});
