import assert from "node:assert/strict";
import { test } from "node:test";

import { MemoryStorage } from "../../base/storage.js";
import { Outbox, tooLong } from "./outbox.js";

const hello = { key: "k1", conversation: "c", model: "m", text: "hello" };

function keys(messages) {
  return messages.map((message) => message.key);
}

test("a message is there after a reload of its tab, with its key", () => {
  const storage = new MemoryStorage();
  new Outbox(storage, "1", "tab").put(hello, 100);
  const [message] = new Outbox(storage, "1", "tab").sendable(101);
  assert.equal(message.key, "k1");
  assert.equal(message.text, "hello");
});

test("an accepted message is gone", () => {
  const outbox = new Outbox(new MemoryStorage(), "1", "tab");
  outbox.put(hello, 100);
  outbox.accept("k1", "c");
  assert.deepEqual(outbox.mine(101), []);
});

test("another tab's message is left alone until that tab must be gone", () => {
  const storage = new MemoryStorage();
  new Outbox(storage, "1", "tab").put(hello, 100);
  const other = new Outbox(storage, "1", "other");
  assert.deepEqual(other.sendable(200), []);
  assert.deepEqual(keys(other.sendable(100_000)), ["k1"]);
});

test("another account's messages are not seen", () => {
  const storage = new MemoryStorage();
  new Outbox(storage, "1", "tab").put(hello, 100);
  assert.deepEqual(new Outbox(storage, "2", "tab").mine(100_000), []);
});

test("messages go out in the order in which they were typed", () => {
  const outbox = new Outbox(new MemoryStorage(), "1", "tab");
  outbox.put({ ...hello, key: "b" }, 200);
  outbox.put({ ...hello, key: "a" }, 100);
  assert.deepEqual(keys(outbox.sendable(300)), ["a", "b"]);
});

test("a message waits for the first of its conversation, then has its id", () => {
  const outbox = new Outbox(new MemoryStorage(), "1", "tab");
  outbox.put({ ...hello, conversation: null }, 100);
  outbox.put({ ...hello, key: "k2", conversation: null, after: "k1" }, 200);
  assert.deepEqual(keys(outbox.sendable(300)), ["k1"]);
  assert.deepEqual(keys(outbox.accept("k1", "new")), ["k2"]);
  const [second] = outbox.sendable(300);
  assert.equal(second.key, "k2");
  assert.equal(second.conversation, "new");
});

test("a rejected message stays, but is not sent again by itself", () => {
  const outbox = new Outbox(new MemoryStorage(), "1", "tab");
  outbox.put(hello, 100);
  outbox.reject("k1", "Too long.");
  assert.deepEqual(outbox.sendable(200), []);
  assert.equal(outbox.mine(200)[0].error, "Too long.");
});

test("what is not JSON in storage is passed over", () => {
  const storage = new MemoryStorage();
  storage.setItem("outbox:1:x", "{");
  assert.deepEqual(new Outbox(storage, "1", "tab").mine(0), []);
});

test("a message that storage has no room for is kept as long as the page", () => {
  const storage = new MemoryStorage();
  storage.setItem = () => {
    throw new Error("QuotaExceededError");
  };
  const outbox = new Outbox(storage, "1", "tab");
  outbox.put(hello, 100);
  assert.deepEqual(keys(outbox.sendable(101)), ["k1"]);
  outbox.remove("k1");
  assert.deepEqual(outbox.mine(102), []);
});

test("a text that no frame can carry is told so", () => {
  assert.equal(tooLong("x".repeat(1_000_000)), null);
  assert.match(tooLong("汉".repeat(400_000)), /^The message has 1\.2 MB; the limit is 1\.0 MB/);
  assert.match(tooLong("\n".repeat(600_000)), /Shorten it/);
});
