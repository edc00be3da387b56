import assert from "node:assert/strict";
import { test } from "node:test";

import { OnDemand } from "./on_demand.js";

const flush = () => new Promise((done) => setImmediate(done));

test("a part is loaded once, by its first use, and the uses before it came are made up for", async () => {
  let fetched = 0;
  const fetch = async () => ({ number: (fetched += 1) });
  const part = new OnDemand(fetch, ({ number }) => ({ number }));
  const seen = [];
  assert.equal(part.now, null);
  part.use(({ number }) => seen.push(`a${number}`));
  part.use(({ number }) => seen.push(`b${number}`));
  await flush();
  assert.deepEqual(seen, ["a1", "b1"]);
});

test("what is there is used at once", async () => {
  const part = new OnDemand(async () => ({}), () => "it");
  await part.load();
  assert.equal(part.use((it) => it), "it");
});

test("a part that is fetched ahead is not made", async () => {
  let made = 0;
  const part = new OnDemand(async () => ({}), () => (made += 1));
  await part.prefetch();
  assert.equal(made, 0);
  assert.equal(part.now, null);
});

test("a failure is a sentence, and the next use does not ask at once", async () => {
  let asked = 0;
  const part = new OnDemand(() => {
    asked += 1;
    return Promise.reject(new TypeError("fetch"));
  });
  await assert.rejects(part.load(), /could not be loaded/);
  await assert.rejects(part.load(), /could not be loaded/);
  assert.equal(asked, 1);
});

test("an error of the part itself is no failure of the connection", async () => {
  const part = new OnDemand(async () => ({}), () => {
    throw new RangeError("a mistake");
  });
  await assert.rejects(part.load(), RangeError);
});

test("a failure is told once, however often the part is used meanwhile", async () => {
  const told = [];
  globalThis.document = {
    createElement: () => ({ remove() {} }),
    getElementById: () => ({ replaceChildren: (toast) => told.push(toast.textContent) }),
  };
  const part = new OnDemand(() => Promise.reject(new TypeError("fetch")));
  for (let frame = 0; frame < 5; frame += 1) assert.equal(await part.use(() => "never"), undefined);
  delete globalThis.document;
  assert.equal(told.length, 1);
});
