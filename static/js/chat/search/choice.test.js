import assert from "node:assert/strict";
import { test } from "node:test";

import { addressOf, keyOf, moved } from "./choice.js";

test("arrows go through the results and back to the field", () => {
  assert.equal(moved("ArrowDown", -1, 3), 0);
  assert.equal(moved("ArrowDown", 2, 3), 2);
  assert.equal(moved("ArrowUp", 0, 3), -1);
  assert.equal(moved("ArrowUp", -1, 3), -1);
  assert.equal(moved("End", 0, 3), 2);
  assert.equal(moved("Home", 2, 3), 0);
  assert.equal(moved("ArrowDown", -1, 0), -1);
});

test("letters count outside of fields only, the down arrow in the search field too", () => {
  const query = { isField: true, isQuery: true };
  const outside = { isField: false, isQuery: false };
  assert.equal(keyOf({ key: "x" }, outside), "choose");
  assert.equal(keyOf({ key: "x" }, query), null);
  assert.equal(keyOf({ key: "ArrowDown" }, query), "move");
  assert.equal(keyOf({ key: "ArrowDown" }, { isField: true, isQuery: false }), null);
  assert.equal(keyOf({ key: "Escape" }, outside), "query");
  assert.equal(keyOf({ key: "x", ctrlKey: true }, outside), null);
});

test("an address leaves out what is empty", () => {
  assert.equal(addressOf([["q", "数据 库"], ["tag", ""]]), "q=%E6%95%B0%E6%8D%AE+%E5%BA%93");
});
