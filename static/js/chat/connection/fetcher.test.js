import assert from "node:assert/strict";
import { test } from "node:test";

import { Fetcher } from "./fetcher.js";

function fetcherOf(answers) {
  const loads = [];
  const { promise, resolve } = withResolvers();
  const load = async (key) => {
    loads.push(key);
    const answer = answers.shift();
    if (answers.length === 0) resolve();
    return answer;
  };
  return { fetcher: new Fetcher(load, { pause: 1, retry: 1 }), loads, done: promise };
}

function withResolvers() {
  let resolve;
  const promise = new Promise((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}

test("what is asked for while it is fetched is fetched once more", async () => {
  const { fetcher, loads, done } = fetcherOf([false, false]);
  for (let k = 0; k < 10; k += 1) fetcher.ask("t");
  await done;
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(loads, ["t", "t"]);
});

test("a failure is tried again", async () => {
  const { fetcher, loads, done } = fetcherOf([true, true, false]);
  fetcher.ask("t");
  await done;
  assert.deepEqual(loads, ["t", "t", "t"]);
});

test("different things do not wait for each other", async () => {
  const { fetcher, loads, done } = fetcherOf([false, false]);
  fetcher.ask("t");
  fetcher.ask("u");
  await done;
  assert.deepEqual(loads, ["t", "u"]);
});
