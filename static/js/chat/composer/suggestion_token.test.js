import assert from "node:assert/strict";
import { test } from "node:test";

import { tokenAt } from "./suggestion_token.js";

const at = (text) => {
  const token = tokenAt(text, text.length);
  return token && `${token.sign}${token.query}`;
};

test("a slash counts at the beginning of a line, not in a path", () => {
  assert.equal(at("/"), "/");
  assert.equal(at("/rev"), "/rev");
  assert.equal(at("Hello\n/rev"), "/rev");
  assert.equal(at("and/or"), null);
  assert.equal(at("/home/me"), null);
  assert.equal(at("see /home"), null);
});

test("an at sign counts after anything but an address", () => {
  assert.equal(at("@"), "@");
  assert.equal(at("ask @res"), "@res");
  assert.equal(at("问@研究"), "@研究");
  assert.equal(at("(@x"), "@x");
  assert.equal(at("me@example.com"), null);
});

test("a space ends it", () => {
  assert.equal(at("/review "), null);
  assert.equal(at("@gpt and"), null);
});

test("the token's place is where it is replaced", () => {
  assert.deepEqual(tokenAt("ask @re now", 7), { sign: "@", query: "re", start: 4, end: 7 });
});

test("of a long text only the end before the cursor is read", () => {
  assert.equal(at(`${"x".repeat(1_000_000)}@res`), null);
  assert.equal(at(`${"x".repeat(1_000_000)} @res`), "@res");
  assert.equal(at(`@${"x".repeat(61)}`), null);
  assert.equal(at(`/${"x".repeat(61)}`), null);
  assert.equal(at(`${"x".repeat(61)}/a`), null);
});
