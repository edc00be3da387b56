import assert from "node:assert/strict";
import { test } from "node:test";

import { beatAt, beatsOf, instantBeats, LONG_MS, resumeAt, SHORTENED_MS } from "./beats.js";
import { stepsOf } from "./timeline.js";

const MS = 1000;

function timeline(pieces, ended = 9_000) {
  const attempt = {
    number: 1,
    stages: ["input", "request", "response", "output"],
    started: 0,
    sent: 1 * MS,
    ended: ended * MS,
    retry_in: null,
    parts: [{ kind: "content" }],
    pieces: pieces.map(([ms, text]) => [ms * MS, 0, text]),
  };
  return { attempts: [attempt], calls: [] };
}

function played(found) {
  const steps = stepsOf(found);
  return beatsOf(found, steps);
}

test("a stream is played with its recorded times", () => {
  const stream = played(timeline([[101, "a"], [151, "b"], [951, "c"]], 951)).filter((beat) => beat.step === 2);
  const [begin, ...pieces] = stream;
  assert.deepEqual(pieces.map(({ play, heard }) => [play - begin.play, heard]), [
    [100, 1],
    [150, 2],
    [950, 3],
    [950, null],
  ]);
});

test("steps that follow at once are held long enough to be seen", () => {
  const plays = played(timeline([], 1)).map(({ play }) => play);
  assert.ok(plays.every((play, place) => place === 0 || play >= plays[place - 1]));
  assert.ok(plays[1] > 300);
});

test("a long wait is shortened and says how long it was", () => {
  const beats = played(timeline([[12_001, "a"], [12_011, "b"]], 12_011));
  const first = beats.find((beat) => beat.heard === 1);
  const begin = beats.find((beat) => beat.heard === 0);
  assert.equal(first.waited, 12_000);
  assert.equal(first.play - begin.play, SHORTENED_MS);
  assert.ok(beats.every((beat) => beat === first || beat.waited === null));
  assert.ok(SHORTENED_MS < LONG_MS);
});

test("playing time finds its beat, and a beat its playing time", () => {
  const beats = played(timeline([[101, "a"], [151, "b"]], 200));
  assert.equal(beatAt(beats, -1), -1);
  assert.equal(beatAt(beats, 0), 0);
  assert.equal(beatAt(beats, 1e9), beats.length - 1);
  const whole = beats.findIndex((beat) => beat.step === 2 && beat.heard === null);
  assert.equal(resumeAt(beats, 2), beats[whole].play);
  assert.equal(resumeAt(beats, 2, 1), beats.find((beat) => beat.heard === 1).play);
});

test("played instantly, each step is shown whole", () => {
  const steps = stepsOf(timeline([[5, "a"]]));
  assert.deepEqual(instantBeats(steps).map(({ step, heard }) => [step, heard]), [
    [0, null],
    [1, null],
    [2, null],
    [3, null],
  ]);
});
