import assert from "node:assert/strict";
import { test } from "node:test";

import { Suggestions } from "./suggestions.js";

const flush = () => new Promise((done) => setImmediate(done));

// Suggestions of a field in which a sign has been typed; `answer(rows)` is what the source resolves to.
function typed(sign) {
  const list = { addEventListener() {}, replaceChildren: () => (drawn.count += 1) };
  const drawn = { count: 0 };
  const field = Object.assign(new EventTarget(), { removeAttribute() {} });
  const sources = { loads: 0 };
  sources[sign] = () => {
    sources.loads += 1;
    return new Promise((resolve) => (sources.answer = () => resolve([])));
  };
  const pane = { hidden: true, querySelector: () => list };
  new Suggestions({ pane, field, status: {}, sources, replace() {} });
  const type = (value) => {
    Object.assign(field, { value, selectionStart: value.length, selectionEnd: value.length });
    field.dispatchEvent(new Event("input"));
  };
  type(sign);
  return { field, drawn, sources, type };
}

test("what is suggested is asked for once, however much is typed meanwhile", async () => {
  const { sources, drawn, type } = typed("@");
  type("@a");
  type("@ab");
  sources.answer();
  await flush();
  assert.equal(sources.loads, 1);
  assert.ok(drawn.count > 0);
});

test("suggestions that come after the message was sent are not shown", async () => {
  const { field, drawn, sources } = typed("@");
  Object.assign(field, { value: "", selectionStart: 0, selectionEnd: 0 });
  sources.answer();
  await flush();
  assert.equal(drawn.count, 0);
});

test("suggestions that come after the field was left are not shown", async () => {
  const { field, drawn, sources } = typed("@");
  field.dispatchEvent(new Event("blur"));
  sources.answer();
  await flush();
  assert.equal(drawn.count, 0);
});

test("what an input method has written is looked at when it is complete", async () => {
  const { field, drawn, sources } = typed("@");
  sources.answer();
  await flush();
  const before = drawn.count;
  Object.assign(field, { value: "@研究", selectionStart: 3, selectionEnd: 3 });
  field.dispatchEvent(Object.assign(new Event("input"), { isComposing: true }));
  await flush();
  assert.equal(drawn.count, before);
  field.dispatchEvent(new Event("compositionend"));
  await flush();
  assert.equal(drawn.count, before + 1);
});
