// The space that a line begins with, in columns: a tab goes to the next multiple of four.

export const TAB = 4;

// How many columns of space it begins with.
export function columns(line) {
  let column = 0;
  for (const character of line) {
    if (character === "\t") column += TAB - (column % TAB);
    else if (character === " ") column += 1;
    else break;
  }
  return column;
}

// The line without its first columns of space.
export function cut(line, count) {
  let column = 0;
  let at = 0;
  while (column < count && (line[at] === " " || line[at] === "\t")) {
    column += line[at] === "\t" ? TAB - (column % TAB) : 1;
    at += 1;
  }
  return " ".repeat(Math.max(0, column - count)) + line.slice(at);
}

// The line without the mark of a quote that it begins with.
export function unquoted(text) {
  return text.slice(text[1] === " " ? 2 : 1);
}
