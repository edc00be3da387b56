import assert from "node:assert/strict";
import { test } from "node:test";

import { pollWhile } from "./partials.js";

test("polling goes on while there is something open, also after a poll that failed", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let polls = 0;
  const poll = async () => {
    polls += 1;
    if (polls === 1) throw new TypeError("no connection");
  };
  const over = pollWhile(() => polls < 3, poll, { everyMs: 500 });
  for (const ms of [500, 2000, 2000]) {
    context.mock.timers.tick(ms);
    await new Promise(setImmediate);
  }
  await over;
  assert.equal(polls, 3);
});

test("what is over is not polled", async () => {
  await pollWhile(() => false, () => assert.fail("polled"), { everyMs: 1 });
});
