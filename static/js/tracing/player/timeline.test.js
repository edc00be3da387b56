import assert from "node:assert/strict";
import { test } from "node:test";

import { find, heardBy, shownAt, stepsOf, textsAfter, words } from "./timeline.js";

const ALL = ["input", "request", "response", "output"];

function attempt(number, changes = {}) {
  return {
    number,
    stages: ALL,
    started: 0,
    sent: 10,
    ended: 100,
    retry_in: null,
    parts: [{ kind: "content" }],
    pieces: [
      [50, 0, "Hel"],
      [90, 0, "lo"],
    ],
    ...changes,
  };
}

function call(id, proposed, started, ended) {
  return { id, name: `tool-${id}`, proposed, started, ended };
}

const names = (timeline) => stepsOf(timeline).map(({ name }) => name);

test("the stages of an attempt follow each other", () => {
  const steps = stepsOf({ attempts: [attempt(1)], calls: [] });
  assert.deepEqual(steps.map(({ name, at }) => [name, at]), [
    ["input", 0],
    ["request", 10],
    ["response", 90],
    ["output", 100],
  ]);
});

test("parallel calls overlap by their recorded times", () => {
  const calls = [call("a", 110, 120, 200), call("b", 111, 130, 150)];
  assert.deepEqual(names({ attempts: [attempt(1)], calls }).slice(4), [
    "call-1-proposed",
    "call-2-proposed",
    "call-1-started",
    "call-2-started",
    "call-2-ended",
    "call-1-ended",
  ]);
});

test("a failed attempt has what was recorded of it, and the wait for the next", () => {
  const failed = attempt(1, { stages: ["input", "request"], pieces: [], retry_in: 500 });
  const steps = stepsOf({ attempts: [failed, attempt(2, { started: 600 })], calls: [] });
  assert.deepEqual(steps.slice(0, 4).map(({ name, attempt: number }) => [name, number]), [
    ["input", 1],
    ["request", 1],
    ["wait", 1],
    ["input", 2],
  ]);
  // It is shown for as long as it takes.
  assert.deepEqual(steps.slice(2, 4).map(({ at }) => at), [100, 600]);
});

test("what has not begun has no step yet", () => {
  const running = attempt(1, { stages: [], ended: null, pieces: [] });
  assert.deepEqual(names({ attempts: [running], calls: [call("a", 1, null, null)] }), ["input", "call-1-proposed"]);
});

test("a step is found by its name, of the last attempt if none is named", () => {
  const steps = stepsOf({ attempts: [attempt(1, { retry_in: 5 }), attempt(2)], calls: [] });
  assert.equal(find(steps, "request"), 6);
  assert.equal(find(steps, "request", 1), 1);
  assert.equal(find(steps, "last"), 8);
  assert.equal(find(steps, "nonsense"), -1);
});

test("at a step, stages and calls are past, now or future", () => {
  const timeline = { attempts: [attempt(1)], calls: [call("a", 110, 120, 200)] };
  const steps = stepsOf(timeline);
  const at = (name, heard) => shownAt(timeline, steps, find(steps, name), heard);
  assert.deepEqual(at("response", 1).stages, { input: "past", request: "past", response: "now", output: "future" });
  assert.equal(at("response", 1).heard, 1);
  assert.deepEqual(at("response").calls, [{ moment: "future", isNow: false }]);
  assert.deepEqual(at("call-1-started").calls, [{ moment: "started", isNow: true }]);
  assert.equal(at("call-1-started").stages.output, "past");
});

test("a stage that was not recorded is over with its attempt", () => {
  const timeline = { attempts: [attempt(1, { stages: ["input", "request"], pieces: [] })], calls: [] };
  const steps = stepsOf(timeline);
  assert.equal(shownAt(timeline, steps, 0).stages.output, "future");
  assert.equal(shownAt(timeline, steps, 1).stages.output, "past");
});

test("texts grow piece by piece and may begin anew", () => {
  const spoken = attempt(1, { pieces: [[1, 0, "{}"], [2, 0, '{"a"', 1], [3, 0, ":1}"]] });
  assert.deepEqual([1, 2, 3].map((count) => textsAfter(spoken, count)[0]), ["{}", '{"a"', '{"a":1}']);
  assert.equal(heardBy(spoken, 2), 2);
  assert.equal(heardBy(spoken, 0), 0);
  assert.equal(heardBy(spoken, 9), 3);
});

test("a step says what it is", () => {
  const timeline = { attempts: [attempt(1)], calls: [call("a", 110, 120, 200)] };
  const steps = stepsOf(timeline);
  assert.equal(words(timeline, steps[2]), "response");
  assert.equal(words(timeline, steps[5]), "call running · tool-a");
});
