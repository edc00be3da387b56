// A path or a name that is inserted into the message. No DOM.

// The text with a path inserted at the selection, as a separate word; `caret` is after it.
export function mentioned(text, start, end, path) {
  const word = /[\s`"'()]/.test(path) ? `"${path}"` : path;
  const before = text.slice(0, start);
  const after = text.slice(end);
  const left = before && !/\s$/.test(before) ? " " : "";
  const right = /^\s/.test(after) ? "" : " ";
  const inserted = `${left}${word}${right}`;
  return { text: `${before}${inserted}${after}`, caret: before.length + inserted.length };
}
