// Blocks that take the rest of a line as it is: code, formulas, the rows of a table.

import { InlineText } from "./inline.js";

// Lines after which code goes on in a new element, so that only the last one is laid out again.
const LINES_A_CHUNK = 80;
const MAX_CODE_LINES = 40;
const DELIMITER = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/;

export class Code {
  #document;
  #code;
  #figure;
  #node = null;
  #lines = 0;

  // `fence` is null for indented code.
  constructor(document, parent, fence, language) {
    this.#document = document;
    this.fence = fence;
    this.#figure = document.createElement("figure");
    this.#figure.className = "code";
    const head = document.createElement("figcaption");
    const name = document.createElement("span");
    name.append(document.createTextNode(language || "text"));
    head.append(name);
    const pre = document.createElement("pre");
    this.#code = document.createElement("code");
    pre.append(this.#code);
    this.#figure.append(head, pre);
    parent.append(this.#figure);
  }

  get element() {
    return this.#figure;
  }

  // Whether the line may still become the closing fence.
  waits(text) {
    return this.fence !== null && text.split(this.fence[0]).join("").trim() === "";
  }

  closes(text) {
    const line = text.trim();
    return this.fence !== null && line.startsWith(this.fence) && this.waits(line);
  }

  push(text) {
    if (this.#node === null) this.#addChunk();
    this.#node.appendData(text);
  }

  end() {
    this.push("\n");
    this.#lines += 1;
    if (this.#lines % LINES_A_CHUNK === 0) this.#node = null;
    if (this.#lines === MAX_CODE_LINES) this.#figure.className = "code long";
  }

  #addChunk() {
    const chunk = this.#document.createElement("span");
    chunk.className = "code-chunk";
    this.#node = this.#document.createTextNode("");
    chunk.append(this.#node);
    this.#code.append(chunk);
  }
}

// A formula of its own lines, as its source.
export class Formula {
  #node;
  #closer;
  #line = "";
  isOver = false;

  constructor(document, parent, closer) {
    const element = document.createElement("p");
    element.className = "tex tex-block";
    this.#node = document.createTextNode("");
    element.append(this.#node);
    parent.append(element);
    this.#closer = closer;
    this.element = element;
  }

  push(text) {
    this.#line += text;
    this.#node.appendData(text);
  }

  // Its closer ends a line.
  end() {
    this.isOver = this.#line.trimEnd().endsWith(this.#closer);
    this.#line = "";
    if (this.isOver) this.#node.data = this.#node.data.trimEnd().slice(0, -this.#closer.length);
    else this.#node.appendData("\n");
  }
}

export class Table {
  #document;
  #head;
  #body;
  #row = null;
  #aligned = [];
  #rows = 0;
  #cell = null;
  #isBlank = true;
  #held = "";
  #space = ""; // at the end of a cell, shown if more follows
  source = ""; // of the head

  constructor(document, parent) {
    this.#document = document;
    this.element = document.createElement("div");
    this.element.className = "table-scroll";
    const table = document.createElement("table");
    table.setAttribute("dir", "auto");
    this.#head = document.createElement("thead");
    this.#body = document.createElement("tbody");
    table.append(this.#head, this.#body);
    this.element.append(table);
    parent.append(this.element);
  }

  // A line that is no row: the marks below the head. Null if it has to be one, and is not.
  begin(text) {
    if (this.#rows === 1 && this.#aligned.length === 0) {
      if (!DELIMITER.test(text)) return null;
      this.#align(text);
      return NOTHING;
    }
    this.#beginRow(text);
    return this;
  }

  #align(text) {
    const cells = text.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
    this.#aligned = cells.map((cell) => {
      if (!cell.endsWith(":")) return "";
      return cell.startsWith(":") ? "align-center" : "align-right";
    });
    [...this.#head.childNodes[0].childNodes].forEach((cell, index) => this.#alignCell(cell, index));
  }

  #alignCell(cell, index) {
    if (this.#aligned[index]) cell.className = this.#aligned[index];
  }

  #beginRow(text) {
    this.#row = this.#document.createElement("tr");
    (this.#rows === 0 ? this.#head : this.#body).append(this.#row);
    this.#rows += 1;
    this.#cell = null;
    this.#isBlank = true;
    this.push(text.startsWith("|") ? text.slice(1) : text);
  }

  push(text) {
    if (this.#rows === 1) this.source += text;
    const all = this.#held + text;
    const end = all.endsWith("\\") ? all.length - 1 : all.length;
    this.#held = all.slice(end);
    const cells = all.slice(0, end).split(/(\\\||\|)/);
    for (const part of cells) {
      if (part === "|") this.#endCell();
      else if (part !== "") this.#write(part === "\\|" ? "|" : part);
    }
  }

  end() {
    if (this.#held) this.#write(this.#held);
    this.#held = "";
    if (!this.#isBlank) this.#endCell();
    if (this.#rows === 1) return;
    while (this.#row.childNodes.length < this.#aligned.length) this.#addCell();
  }

  #write(text) {
    const all = this.#isBlank ? text.trimStart() : this.#space + text;
    const shown = all.trimEnd();
    this.#space = all.slice(shown.length);
    if (shown === "") return;
    this.#isBlank = false;
    this.#cell ??= this.#addCell();
    this.#cell?.push(shown);
  }

  #endCell() {
    if (this.#isBlank) this.#addCell();
    this.#cell?.finish();
    this.#cell = null;
    this.#isBlank = true;
    this.#space = "";
  }

  // Null for more cells than the table has columns.
  #addCell() {
    const place = this.#row.childNodes.length;
    if (this.#rows > 1 && place >= this.#aligned.length) return null;
    const cell = this.#document.createElement(this.#rows === 1 ? "th" : "td");
    this.#alignCell(cell, place);
    this.#row.append(cell);
    return new InlineText(this.#document, cell);
  }
}

// For a line of which nothing is shown.
export const NOTHING = { push() {}, end() {} };

export function isDelimiter(text) {
  return text.includes("|") && DELIMITER.test(text.trim());
}
