// The "/…" or "@…" that is being typed at the cursor. No DOM.

const MOST = 60; // characters after the sign
const SIGNS = [
  { sign: "/", pattern: /(^|\n)\/([^\s/]*)$/ },
  // Not the one of an address; Chinese has no spaces before it.
  { sign: "@", pattern: /(^|[^\w.%+-])@([^\s@]*)$/ },
];

// { sign, query, start, end }, or null. `text` may be long: only its end before the cursor is read.
export function tokenAt(text, caret) {
  const from = Math.max(0, caret - MOST - 2);
  // What precedes the part that is read is no beginning.
  const before = (from > 0 ? "x" : "") + text.slice(from, caret);
  for (const { sign, pattern } of SIGNS) {
    const match = pattern.exec(before);
    if (match === null || match[2].length > MOST) continue;
    return { sign, query: match[2], start: caret - match[2].length - 1, end: caret };
  }
  return null;
}
