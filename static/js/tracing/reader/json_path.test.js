import assert from "node:assert/strict";
import { test } from "node:test";

import { copied, pathOf, valueOf } from "./json_path.js";

test("a path has plain keys with a dot and all others in brackets", () => {
  assert.equal(pathOf(['"messages"', 2, '"x-y"', '"内容"']), '$.messages[2]["x-y"]["内容"]');
});

test("the path of the whole is the root", () => {
  assert.equal(pathOf([]), "$");
});

test("a value is what was written, without space", () => {
  const children = [
    { key: '"a"', token: "1.0" },
    { key: '"b"', open: "[", children: [{ token: "true" }, { open: "{", children: [] }] },
  ];
  assert.equal(valueOf({ open: "{", children }), '{"a":1.0,"b":[true,{}]}');
});

test("a string is copied as its text", () => {
  assert.equal(copied('"a\\n\\u6570"'), "a\n数");
  assert.equal(copied("[1]"), "[1]");
});
