// Finds words in a text that consists of pieces. No DOM.

// Occurrences of `words` in the joined pieces, case-insensitive: each is
// { start: [piece, offset], end: [piece, offset] }.
export function occurrences(pieces, words, most = 100) {
  const text = folded(pieces.join(""));
  const wanted = folded(words);
  const places = [];
  let from = wanted ? text.indexOf(wanted) : -1;
  while (from >= 0 && places.length < most) {
    const to = from + wanted.length;
    const last = placeOf(pieces, to - 1);
    places.push({ start: placeOf(pieces, from), end: [last[0], last[1] + 1] });
    from = text.indexOf(wanted, to);
  }
  return places;
}

// Some letters change their length with their case: then the text stays unchanged.
function folded(text) {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

function placeOf(pieces, index) {
  let rest = index;
  for (let piece = 0; piece < pieces.length; piece += 1) {
    if (rest < pieces[piece].length) return [piece, rest];
    rest -= pieces[piece].length;
  }
  return [pieces.length - 1, pieces.at(-1).length];
}
