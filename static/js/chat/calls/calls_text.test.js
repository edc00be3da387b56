import assert from "node:assert/strict";
import { test } from "node:test";

import { CallsReader, Unescaper } from "./calls_text.js";

const head = (number, name) => `\x1e${number}\x1f${name}\x1f`;

test("arguments follow the name of their call", () => {
  const reader = new CallsReader();
  const text = `${head(0, "write_file")}{"path": `;
  assert.deepEqual(reader.read(text), [
    { number: 0, name: "write_file", text: '{"path": ', dropped: false },
  ]);
  assert.deepEqual(reader.read(`${text}"a"}`), [
    { number: 0, name: "write_file", text: '"a"}', dropped: false },
  ]);
  assert.deepEqual(reader.read(`${text}"a"}`), []);
});

test("calls that are written in turn stay apart", () => {
  const reader = new CallsReader();
  const news = reader.read(`${head(0, "a")}1${head(1, "b")}2${head(0, "a")}3`);
  assert.deepEqual(news.map(({ number, text }) => [number, text]), [[0, "1"], [1, "2"], [0, "3"]]);
});

test("a call that was none is dropped", () => {
  const reader = new CallsReader();
  const news = reader.read(`${head(0, "")}{"na${head(0, "\x18")}`);
  assert.deepEqual(news.map(({ dropped }) => dropped), [false, true]);
});

test("a text cut anywhere is read as the whole", () => {
  const text = '{"content": "one\\ntwo \\"x\\" \\\\n \\u00e9\\t!"}';
  const whole = new Unescaper().read(text);
  assert.equal(whole, '{"content": "one\ntwo "x" \\n é\t!"}');
  for (let cut = 0; cut <= text.length; cut += 1) {
    const reader = new Unescaper();
    assert.equal(reader.read(text.slice(0, cut)) + reader.read(text.slice(cut)), whole, `at ${cut}`);
  }
  const reader = new Unescaper();
  assert.equal([...text].map((character) => reader.read(character)).join(""), whole);
});
