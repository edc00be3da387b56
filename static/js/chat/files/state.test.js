import assert from "node:assert/strict";
import { test } from "node:test";

import { endingsOf, isChanged, queryOf, refusalOf, toggled } from "./state.js";

const turn = (state, ...calls) => ({
  order: ["t"],
  turns: {
    t: { id: "t", state, calls: Object.fromEntries(calls.map((one, at) => [at, { state: one }])) },
  },
});

test("files are looked at again when a call has ended, not while it runs", () => {
  const before = endingsOf(turn("running"));
  assert.equal(endingsOf(turn("running", "sent")), before);
  assert.notEqual(endingsOf(turn("running", "succeeded")), before);
  assert.notEqual(endingsOf(turn("running", "failed")), before);
});

test("files are looked at again when a turn has ended", () => {
  assert.notEqual(endingsOf(turn("done")), endingsOf(turn("running")));
});

test("a question that waits changes no files", () => {
  const { turns } = turn("queued");
  assert.equal(endingsOf({ order: ["t"], turns }), endingsOf({ order: [], turns: {} }));
});

test("files are looked at again when a subagent gets on", () => {
  const state = turn("running", "waiting");
  const at = (round, calls) => {
    const subagents = { c: { round, calls } };
    return endingsOf({ ...state, turns: { t: { ...state.turns.t, subagents } } });
  };
  assert.notEqual(at(1, ["write_file"]), at(1, []));
  assert.notEqual(at(1, []), at(2, []));
});

test("a folder that is open is asked for with its rows", () => {
  const opened = toggled(new Map([["", 400]]), "a/%E4%B8%AD");
  assert.equal(queryOf(opened), "open=400:&open=100:a/%E4%B8%AD");
  assert.equal(queryOf(toggled(opened, "a/%E4%B8%AD")), "open=400:");
});

test("a file is changed when it is another than the one that was seen", () => {
  const file = { path: "a", kind: "file", signature: "2", modified: 5 };
  assert.equal(isChanged(file, new Map([["a", "1"]]), 0), true);
  assert.equal(isChanged(file, new Map([["a", "2"]]), 0), false);
});

test("a file that was not seen is changed when it came after the last look", () => {
  const file = { path: "a", kind: "file", signature: "2", modified: 5 };
  assert.equal(isChanged(file, new Map(), 4), true);
  assert.equal(isChanged(file, new Map(), 6), false);
  assert.equal(isChanged({ ...file, kind: "folder" }, new Map(), 4), false);
});

test("a file that is too large is refused before it is sent", () => {
  const size = (bytes) => `${bytes} B`;
  assert.equal(refusalOf({ size: 10 }, 10, size), "");
  assert.equal(refusalOf({ size: 11 }, 10, size), "It has 11 B; the limit is 10 B.");
});
