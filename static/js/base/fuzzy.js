// How well a text fits what is typed to find it. No DOM.

const WHOLE = 100; // a run of letters that stands in the text as it was typed
const AT_WORD = 40; // it begins a word
const AT_BEGINNING = 40; // it begins the text
const SCATTERED = 20; // its letters are there in their order

// 0 if a word of `query` is not in it, else the higher the better.
export function score(query, text) {
  const within = plain(text);
  const words = plain(query).split(/\s+/).filter(Boolean);
  let sum = 1;
  for (const word of words) {
    const one = scoreOfWord(word, within);
    if (one === 0) return 0;
    sum += one;
  }
  if (words.length === 0) return sum;
  // Of two that fit alike the shorter one is meant.
  return sum - Math.min(0.9, within.length / 1_000);
}

// The rows that fit, best first; equal ones keep their order. `textOf` gives a row's texts, each of
// which counts half as much as the one before it.
export function ranked(query, rows, textsOf) {
  const scored = rows.map((row, order) => ({ row, order, points: best(query, textsOf(row)) }));
  return scored
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points || a.order - b.order)
    .map(({ row }) => row);
}

function best(query, texts) {
  return Math.max(0, ...texts.map((text, index) => score(query, text) / 2 ** index));
}

function scoreOfWord(word, text) {
  const at = text.indexOf(word);
  if (at >= 0) return WHOLE + beginning(text, text.search(atWord(word)), at);
  return word.length > 1 && isScattered(word, text) ? SCATTERED : 0;
}

function beginning(text, wordAt, at) {
  if (at === 0) return AT_WORD + AT_BEGINNING;
  return wordAt >= 0 ? AT_WORD : 0;
}

function atWord(word) {
  return new RegExp(`(?<![\\p{L}\\p{N}])${word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`, "u");
}

// A scattered word begins with a word of the text: "nc" is "New conversation", not "Connection".
function isScattered(word, text) {
  const start = text.search(atWord(word[0]));
  if (start < 0) return false;
  let at = start;
  for (const letter of word) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

// Without case, accents and widths.
function plain(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().trim();
}
