import assert from "node:assert/strict";
import { test } from "node:test";

import { turnOf } from "./place_names.js";

const ID = "b58d0c94-1143-4621-b3c6-f920f00642b7";

test("a turn and its rounds name their turn", () => {
  assert.equal(turnOf(`#turn-${ID}`), ID);
  assert.equal(turnOf(`#round-${ID}-12`), ID);
});

test("a call, and anything else, does not", () => {
  assert.deepEqual([`#call-${ID}`, "#turn-x", "", "#message"].map(turnOf), [null, null, null, null]);
});
