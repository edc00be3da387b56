import assert from "node:assert/strict";
import { test } from "node:test";

import { messageOf, turnOf } from "./place_names.js";

const ID = "b58d0c94-1143-4621-b3c6-f920f00642b7";

test("a turn and its rounds name their turn", () => {
  assert.equal(turnOf(`#turn-${ID}`), ID);
  assert.equal(turnOf(`#round-${ID}-12`), ID);
});

test("a call, and anything else, does not", () => {
  assert.deepEqual([`#call-${ID}`, "#turn-x", "", "#message"].map(turnOf), [null, null, null, null]);
});

test("a message is named within its turn", () => {
  const turn = "0d0c8e4e-35b4-4a4c-8f07-1b6b1f4f8f10";
  const message = "11111111-2222-3333-4444-555555555555";
  assert.equal(turnOf(`#turn-${turn}.message-${message}`), turn);
  assert.equal(messageOf(`#turn-${turn}.message-${message}`), message);
  assert.equal(messageOf(`#turn-${turn}`), null);
});
