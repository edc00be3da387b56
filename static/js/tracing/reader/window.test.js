import assert from "node:assert/strict";
import { test } from "node:test";

import { Window } from "./window.js";

function fill(window) {
  const order = [];
  for (let number = window.next(); number !== null; number = window.next()) {
    window.begin(number);
    order.push(number);
    window.end(number, true);
  }
  return order;
}

test("what is in sight is fetched before what is beside it", () => {
  const window = new Window(1000);
  window.look(500, 501);
  assert.deepEqual(fill(window), [500, 501, 498, 499, 502, 503]);
});

test("nothing is fetched beyond the ends", () => {
  const window = new Window(2);
  window.look(1, 2);
  assert.deepEqual(fill(window), [1, 2]);
});

test("no more than two parts are on their way", () => {
  const window = new Window(1000);
  window.look(10, 12);
  window.begin(window.next());
  window.begin(window.next());
  assert.equal(window.next(), null);
});

test("what has gone out of sight is dropped", () => {
  const window = new Window(1000);
  window.look(10, 10);
  fill(window);
  window.look(12, 12);
  assert.deepEqual(window.drop(), [8, 9]);
  assert.equal(window.filled, 3);
});

test("a part that could not be had is tried again", () => {
  const window = new Window(1);
  window.begin(1);
  window.end(1, false);
  assert.equal(window.next(), 1);
});
