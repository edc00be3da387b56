// The end of a text whose Markdown block is not complete: shown as it is, code as code. No DOM.

// Answers { kind, skip }: "code", "table" or "text", and how many characters not to show (the blank
// lines before, the line that opens a code block).
export function tailLook(text) {
  const blank = /^\s*\n/.exec(text)?.[0].length ?? 0;
  const rest = text.slice(blank, blank + 200);
  if (/^ {0,3}(```|~~~)/.test(rest)) {
    const line = rest.indexOf("\n");
    return { kind: "code", skip: line < 0 ? text.length : blank + line + 1 };
  }
  return { kind: /^ {0,3}\|/.test(rest) ? "table" : "text", skip: blank };
}
