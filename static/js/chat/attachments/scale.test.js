import assert from "node:assert/strict";
import { test } from "node:test";

import { fitted, noteOf, renamed, staysAsItIs } from "./scale.js";

const file = { type: "image/png", size: 1000 };

test("what is small and taken goes as it is", () => {
  assert.equal(staysAsItIs(file, { width: 2048, height: 10 }), true);
  assert.equal(staysAsItIs(file, { width: 2049, height: 10 }), false);
  assert.equal(staysAsItIs({ ...file, size: 5_000_001 }, { width: 9, height: 9 }), false);
  assert.equal(staysAsItIs({ ...file, type: "image/heic" }, { width: 9, height: 9 }), false);
  assert.equal(staysAsItIs({ ...file, type: "image/gif" }, { width: 4000, height: 9 }), true);
});

test("the longer side becomes 2048 pixels, the shorter keeps its part", () => {
  assert.deepEqual(fitted({ width: 4032, height: 3024 }), { width: 2048, height: 1536 });
  assert.deepEqual(fitted({ width: 10, height: 40_960 }), { width: 1, height: 2048 });
  assert.deepEqual(fitted({ width: 3, height: 2 }), { width: 3, height: 2 });
});

test("a person is told what was done", () => {
  const before = { width: 4032, height: 3024 };
  assert.equal(noteOf(before, fitted(before)), "made smaller, from 4032 × 3024 to 2048 × 1536");
  assert.equal(noteOf({ width: 9, height: 9 }, { width: 9, height: 9 }), "saved again to be smaller");
});

test("a name has the ending of what it became", () => {
  assert.equal(renamed("IMG_1.HEIC", "image/jpeg"), "IMG_1.jpg");
  assert.equal(renamed("a.b.webp", "image/png"), "a.b.png");
  assert.equal(renamed("image", "image/png"), "image.png");
});
