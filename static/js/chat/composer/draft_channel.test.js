import assert from "node:assert/strict";
import { test } from "node:test";

import { MemoryStorage } from "../../base/storage.js";
import { DraftChannel } from "./draft_channel.js";

const draft = (text, ...ids) => ({ text, attachments: ids.map((id) => ({ id })) });

// What the server does: it takes a change of the revision that it has.
class Drafts {
  revision = 0;
  content = draft("");
  saves = 0;

  load = async () => ({ revision: this.revision, ...this.content });

  save = async ({ revision, text, attachments }) => {
    this.saves += 1;
    if (revision !== this.revision) return { newer: await this.load() };
    this.revision += 1;
    this.content = { text, attachments };
    return { saved: this.revision };
  };
}

function tab(server, storage = new MemoryStorage(), content = draft(""), isTyped = true) {
  const channel = new DraftChannel(server, storage, "draft:1:c", 60_000);
  channel.begin(content, isTyped);
  channel.told = [];
  for (const type of ["taken", "conflict", "refused"]) {
    channel.addEventListener(type, ({ detail }) => channel.told.push([type, detail.text ?? detail]));
  }
  return channel;
}

test("what is typed is stored once, not at each key", async () => {
  const server = new Drafts();
  const channel = tab(server);
  for (const text of ["h", "he", "hey"]) channel.put(draft(text));
  assert.equal(server.saves, 0);
  await channel.flush();
  await channel.flush();
  assert.deepEqual([server.content.text, server.saves], ["hey", 1]);
});

test("another tab that has not typed gets the newer draft", async () => {
  const server = new Drafts();
  const [first, second] = [tab(server), tab(server)];
  first.put(draft("hello", "a"));
  await first.flush();
  await second.refresh();
  assert.deepEqual(second.told, [["taken", "hello"]]);
});

test("a tab that was overtaken keeps what it has typed, and says so once", async () => {
  const server = new Drafts();
  const [first, second] = [tab(server), tab(server)];
  first.put(draft("newer"));
  await first.flush();
  second.put(draft("own"));
  await second.flush();
  assert.deepEqual(second.told, [["conflict", "newer"]]);
  assert.equal(server.content.text, "newer");
  second.put(draft("own, typed on"));
  await second.flush();
  assert.equal(server.content.text, "own, typed on");
  assert.equal(second.told.length, 1);
});

test("the same text in two tabs is no conflict", async () => {
  const server = new Drafts();
  const [first, second] = [tab(server), tab(server)];
  first.put(draft("same"));
  second.put(draft("same"));
  await first.flush();
  await second.flush();
  assert.deepEqual(second.told, []);
});

test("sending empties the draft at once, and in the other tab", async () => {
  const server = new Drafts();
  const [first, second] = [tab(server), tab(server)];
  first.put(draft("sent"));
  await first.flush();
  await second.refresh();
  first.put(draft(""));
  await new Promise(setImmediate);
  assert.equal(server.content.text, "");
  await second.refresh();
  assert.deepEqual(second.told.at(-1), ["taken", ""]);
});

test("a text that is sent while an earlier one is being stored is emptied afterwards", async () => {
  const server = new Drafts();
  const channel = tab(server);
  channel.put(draft("typed"));
  const stored = channel.flush();
  channel.put(draft(""));
  await stored;
  await new Promise(setImmediate);
  assert.deepEqual([server.content.text, server.revision], ["", 2]);
});

test("what could not be stored is stored after a reload", async () => {
  const server = new Drafts();
  const storage = new MemoryStorage();
  const channel = tab({ ...server, save: async () => assert.fail("offline") }, storage);
  channel.put(draft("kept"));
  await channel.flush();
  const reloaded = tab(server, storage, draft("kept"));
  await reloaded.refresh();
  await reloaded.flush();
  assert.equal(server.content.text, "kept");
});

test("what was stored is the server's after a reload", async () => {
  const server = new Drafts();
  const storage = new MemoryStorage();
  const channel = tab(server, storage);
  channel.put(draft("old"));
  await channel.flush();
  await server.save({ revision: 1, ...draft("from another device") });
  const reloaded = tab(server, storage, draft("old"));
  await reloaded.refresh();
  assert.deepEqual(reloaded.told, [["taken", "from another device"]]);
});

test("a text that the page came with gives way to a draft", async () => {
  const server = new Drafts();
  await server.save({ revision: 0, ...draft("draft") });
  const channel = tab(server, new MemoryStorage(), draft("question of a fork"), false);
  await channel.refresh();
  assert.deepEqual(channel.told, [["taken", "draft"]]);
});

test("what the server refuses is said and stays", async () => {
  const server = new Drafts();
  const channel = tab({ ...server, save: async () => ({ refused: "Too long." }) });
  channel.put(draft("x"));
  await channel.flush();
  assert.deepEqual(channel.told, [["refused", "Too long."]]);
});

test("a server that has forgotten the draft gets it again", async () => {
  const server = new Drafts();
  const storage = new MemoryStorage();
  const channel = tab(server, storage);
  channel.put(draft("a"));
  await channel.flush();
  const restored = new Drafts();
  const again = tab(restored, storage, draft("a"));
  again.put(draft("ab"));
  await again.flush();
  again.put(draft("abc"));
  await again.flush();
  assert.equal(restored.content.text, "abc");
});

test("an answer that comes after a save does not bring the old text back", async () => {
  const server = new Drafts();
  const channel = tab(server);
  channel.put(draft("a question"));
  await channel.flush();
  const before = await server.load();
  let answer = null;
  server.load = () => new Promise((resolve) => {
    answer = () => resolve(before);
  });
  const refreshed = channel.refresh();
  channel.put(draft("")); // sent
  await new Promise(setImmediate); // stored
  answer();
  await refreshed;
  assert.deepEqual([channel.told, server.content.text], [[], ""]);
});
