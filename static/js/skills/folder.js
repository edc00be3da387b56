// What is wrong with a folder or an archive before it is sent; "" for nothing. Knows no DOM.
//
// A file: { path, size }, its path relative to what was chosen.

import { gettext, interpolate } from "../base/i18n.js";
import { size } from "../base/format.js";

export function problemOf(files, mostFiles, mostBytes) {
  if (files.length === 0) return gettext("The folder is empty.");
  const own = files.filter(({ path }) => path.split("/").pop() === "SKILL.md");
  if (own.length === 0) return gettext("SKILL.md is missing. A skill is a folder with that file.");
  if (files.length > mostFiles) {
    return interpolate(gettext("It has %(count)s files; at most %(most)s can be uploaded one by one. Pack it as a zip archive."), { count: files.length, most: mostFiles });
  }
  return sizeProblem(files.reduce((sum, file) => sum + file.size, 0), mostBytes);
}

export function sizeProblem(whole, most) {
  return whole > most ? interpolate(gettext("It has %(size)s; the limit is %(most)s."), { size: size(whole), most: size(most) }) : "";
}
