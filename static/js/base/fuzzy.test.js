import assert from "node:assert/strict";
import { test } from "node:test";

import { ranked, score } from "./fuzzy.js";

const names = ["New conversation", "Rename the conversation", "Connections", "Theme: dark", "新对话", "重命名对话"];
const found = (query) => ranked(query, names, (name) => [name]);

test("everything fits nothing, in its order", () => {
  assert.deepEqual(found(""), names);
});

test("what begins with the words comes first", () => {
  assert.deepEqual(found("con").slice(0, 2), ["Connections", "New conversation"]);
});

test("every word has to be there, in any order", () => {
  assert.deepEqual(found("dark theme"), ["Theme: dark"]);
  assert.deepEqual(found("dark new"), []);
});

test("letters may be left out", () => {
  assert.equal(found("nwconv")[0], "New conversation");
  assert.equal(found("xyz").length, 0);
});

test("Chinese names are found by any of their characters", () => {
  assert.deepEqual(found("对话"), ["新对话", "重命名对话"]);
  assert.deepEqual(found("命名"), ["重命名对话"]);
});

test("case, accents and widths do not count", () => {
  assert.ok(score("cafe", "CAFÉ") > 0);
  assert.ok(score("abc", "ABC") > 0);
});

test("characters of patterns are plain characters", () => {
  assert.equal(score("(", "x"), 0);
  assert.ok(score("c++", "C++ file") > 0);
});

test("a further text of a row counts less than its name", () => {
  const rows = [
    { name: "Settings", words: "dark" },
    { name: "Dark", words: "" },
  ];
  const texts = ({ name, words }) => [name, words];
  assert.deepEqual(ranked("dark", rows, texts).map(({ name }) => name), ["Dark", "Settings"]);
});
