import assert from "node:assert/strict";
import { test } from "node:test";

import { MemoryStorage } from "../storage.js";
import { ImageHosts } from "./image_hosts.js";

test("a host is agreed to for one conversation", () => {
  const storage = new MemoryStorage();
  new ImageHosts(storage, "a").add("one.example");
  assert.equal(new ImageHosts(storage, "a").has("one.example"), true);
  assert.equal(new ImageHosts(storage, "a").has("two.example"), false);
  assert.equal(new ImageHosts(storage, "b").has("one.example"), false);
});

test("what is damaged in the storage counts as nothing", () => {
  const storage = new MemoryStorage();
  storage.setItem("image-hosts:a", "{");
  assert.equal(new ImageHosts(storage, "a").has("one.example"), false);
});
