import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.roundtripCatalogue = { Stop: "停止", "%(count)s file": "%(count)s 个文件" };
const { gettext, interpolate, ngettext } = await import("./i18n.js");

test("a text of the catalogue is translated", () => {
  assert.equal(gettext("Stop"), "停止");
});

test("a text that the catalogue lacks stays English, also one that names an object's property", () => {
  assert.equal(gettext("Begin"), "Begin");
  assert.equal(gettext("constructor"), "constructor");
});

test("a count has one translation, and two forms in English", () => {
  assert.equal(ngettext("%(count)s file", "%(count)s files", 3), "%(count)s 个文件");
  assert.equal(ngettext("%(count)s row", "%(count)s rows", 1), "%(count)s row");
  assert.equal(ngettext("%(count)s row", "%(count)s rows", 0), "%(count)s rows");
});

test("values take the places that name them, as text and once", () => {
  assert.equal(interpolate("%(a)s and %(b)s", { a: "%(b)s", b: 2 }), "%(b)s and 2");
  assert.equal(interpolate("%(missing)s", {}), "%(missing)s");
});
