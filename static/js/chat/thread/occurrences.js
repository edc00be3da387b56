// Finds the words of a search in a text that consists of pieces. No DOM.

import { termsOf } from "../search/terms.js";

const SIGN = "[^\\p{L}\\p{N}]";
// Languages without spaces between words: there a term may begin anywhere.
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

// Occurrences of the terms of a query in the joined pieces, in their order and case-insensitive; a
// word counts from its beginning. Each is { start: [piece, offset], end: [piece, offset] }.
export function occurrences(pieces, query, most = 100) {
  const terms = termsOf(query);
  if (terms.length === 0) return [];
  const matches = pieces.join("").matchAll(new RegExp(terms.map(patternOf).join("|"), "giu"));
  return [...matches].slice(0, most).map(({ index, 0: text }) => {
    const last = placeOf(pieces, index + text.length - 1);
    return { start: placeOf(pieces, index), end: [last[0], last[1] + 1] };
  });
}

// Between the words of a phrase there may be any signs.
function patternOf(term) {
  const words = term.split(new RegExp(`${SIGN}+`, "u")).filter(Boolean);
  return `${UNSPACED.test(term) ? "" : "(?<![\\p{L}\\p{N}])"}${words.join(`${SIGN}+`)}`;
}

function placeOf(pieces, index) {
  let rest = index;
  for (let piece = 0; piece < pieces.length; piece += 1) {
    if (rest < pieces[piece].length) return [piece, rest];
    rest -= pieces[piece].length;
  }
  return [pieces.length - 1, pieces.at(-1).length];
}
