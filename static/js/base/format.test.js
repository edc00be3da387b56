import assert from "node:assert/strict";
import { test } from "node:test";

import { duration, relativeTime, size, stopwatch } from "./format.js";

test("a duration has the unit that a person reads fastest", () => {
  assert.equal(duration(41.4), "41 ms");
  assert.equal(duration(1240), "1.2 s");
  assert.equal(duration(59_960), "1 min 0 s");
  assert.equal(duration(3_660_000), "1 h 1 min");
});

test("sizes are in B, KB, MB and GB", () => {
  const shown = [999, 1500, 20_000_000, 10_000_000_000].map(size);
  assert.deepEqual(shown, ["999 B", "1.5 KB", "20.0 MB", "10.0 GB"]);
});

test("relative times go from minutes to days", () => {
  assert.equal(relativeTime(5_000), "just now");
  assert.equal(relativeTime(3_600_000), "1 h ago");
  assert.equal(relativeTime(26 * 3_600_000), "yesterday");
  assert.equal(relativeTime(72 * 3_600_000), "3 days ago");
});

test("a stopwatch shows tenths only at first", () => {
  assert.equal(stopwatch(40), "");
  assert.equal(stopwatch(1240), "1.2 s");
  assert.equal(stopwatch(12_900), "12 s");
  assert.equal(stopwatch(65_000), "1 min 5 s");
});
