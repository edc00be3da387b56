import assert from "node:assert/strict";
import { test } from "node:test";

import { delay } from "./backoff.js";

test("waits double, up to a limit", () => {
  const longest = () => 1;
  assert.deepEqual([0, 1, 2, 30].map((attempt) => delay(attempt, longest)), [300, 600, 1200, 15_000]);
});

test("waits differ between tabs, by up to a half", () => {
  assert.equal(delay(0, () => 0), 150);
  assert.ok(delay(0, () => 0.5) < delay(0, () => 0.9));
});
