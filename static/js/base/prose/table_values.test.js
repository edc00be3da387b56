import assert from "node:assert/strict";
import { test } from "node:test";

import { ascending, csv, numberOf } from "./table_values.js";

const sorted = (cells) => ascending(cells).map((place) => cells[place]);

test("numbers are numbers with their units and separators", () => {
  assert.equal(numberOf("1,234.5"), 1234.5);
  assert.equal(numberOf("$12"), 12);
  assert.equal(numberOf("−3 %"), -3);
  assert.equal(numberOf("41 ms"), 41);
  assert.ok(Number.isNaN(numberOf("2026-01-02")));
  assert.ok(Number.isNaN(numberOf("v1.2.3")));
  assert.ok(Number.isNaN(numberOf("")));
});

test("a column of numbers is in the order of numbers, empty cells last", () => {
  assert.deepEqual(sorted(["10", "", "9", "-1"]), ["-1", "9", "10", ""]);
});

test("a column of texts is in the order of texts", () => {
  assert.deepEqual(sorted(["b", "a 10", "a 9", "5"]), ["5", "a 9", "a 10", "b"]);
});

test("equal cells keep their order", () => {
  assert.deepEqual(ascending(["a", "b", "a"]), [0, 2, 1]);
});

test("CSV quotes what has to be quoted", () => {
  assert.equal(csv([["a", 'say "x"'], ["1,5", "two\nlines"]]), 'a,"say ""x"""\r\n"1,5","two\nlines"');
});

test("what a spreadsheet would calculate is text", () => {
  assert.equal(csv([["=1+1", "@a", "-5", "+x"]]), "'=1+1,'@a,-5,'+x");
});
