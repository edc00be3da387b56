import assert from "node:assert/strict";
import { test } from "node:test";

import { LONG_PASTE_CHARACTERS, isLongPaste, lineOf, pastesFiles, problemOf, reference } from "./state.js";

const limits = { most: 2, mostTogether: 1000 };
const seeing = { name: "Seeing", readsImages: true };
const blind = { name: "Blind", readsImages: false };
const image = { key: "k", name: "a.png", size: 400, mediaType: "image/png", state: "ready", id: "1" };
const text = { ...image, name: "a.py", mediaType: "text/plain" };

test("what is ready and readable can be sent", () => {
  assert.equal(problemOf([image, text], seeing, limits), "");
  assert.equal(problemOf([text], blind, limits), "");
  assert.equal(problemOf([], blind, limits), "");
});

test("an image keeps a message from a model that reads none, in the server's words", () => {
  const words = "Blind does not read images: choose another model or remove it.";
  assert.equal(problemOf([text, image], blind, limits), words);
  assert.deepEqual(lineOf(image, blind), { text: words, bad: true });
});

test("a message waits for its uploads", () => {
  const uploading = { ...image, state: "uploading", progress: 0.456 };
  assert.equal(problemOf([uploading], seeing, limits), "Wait until a.png is uploaded.");
  assert.equal(lineOf(uploading, seeing).text, "45 % of 400 B");
});

test("what failed is tried again or removed", () => {
  const failed = { ...image, state: "failed", error: "No.", again: true };
  assert.match(problemOf([failed], seeing, limits), /try again or remove it/);
  assert.doesNotMatch(problemOf([{ ...failed, again: false }], seeing, limits), /again/);
  assert.deepEqual(lineOf(failed, seeing), { text: "No.", bad: true });
});

test("there are limits to their number and to their bytes together", () => {
  assert.match(problemOf([text, text, text], blind, limits), /3 attachments; the limit is 2/);
  const large = { ...text, size: 600 };
  assert.match(problemOf([large, large], blind, limits), /1.2 KB together; the limit is 1.0 KB/);
});

test("a note stands beside the size", () => {
  assert.equal(lineOf({ ...image, note: "made smaller" }, seeing).text, "400 B · made smaller");
});

test("a message keeps of an item what it needs to be shown and sent", () => {
  const kept = { id: "1", name: "a.png", size: 400, mediaType: "image/png" };
  assert.deepEqual(reference({ ...image, file: {} }), kept);
});

test("files are pasted unless a text is", () => {
  const files = [{ name: "a.png" }];
  assert.equal(pastesFiles("", files), true);
  assert.equal(pastesFiles("a.png", files), true);
  assert.equal(pastesFiles("file:///home/me/a.png\n", files), true);
  assert.equal(pastesFiles("Dear Sir", files), false);
  assert.equal(pastesFiles("", []), false);
});

test("a paste of many characters or lines is long", () => {
  assert.equal(isLongPaste("x".repeat(LONG_PASTE_CHARACTERS)), false);
  assert.equal(isLongPaste("x".repeat(LONG_PASTE_CHARACTERS + 1)), true);
  assert.equal(isLongPaste("x\n".repeat(199)), false);
  assert.equal(isLongPaste("x\n".repeat(200)), true);
});
