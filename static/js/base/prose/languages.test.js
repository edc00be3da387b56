import assert from "node:assert/strict";
import { test } from "node:test";

import { fileName, previewKind } from "./languages.js";

test("a file's name fits its language", () => {
  assert.equal(fileName("Python", "x = 1"), "code.py");
  assert.equal(fileName("dockerfile", "FROM x"), "Dockerfile");
  assert.equal(fileName("html", "<p>"), "page.html");
  assert.equal(fileName("xml", "<svg viewBox='0 0 1 1'/>"), "image.svg");
  assert.equal(fileName("no/../such", "x"), "code.txt");
});

test("HTML and SVG have a preview, other code has none", () => {
  assert.equal(previewKind("html", "<p>"), "html");
  assert.equal(previewKind("xml", '<?xml version="1.0"?>\n<svg>'), "svg");
  assert.equal(previewKind("xml", "<a/>"), null);
  assert.equal(previewKind("python", "svg"), null);
});
