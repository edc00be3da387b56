// The text of a running generation. Markdown: finished blocks as the server's HTML, then the tail,
// which is replaced by the block that it becomes. What is shown is not rendered again.

import { parseHTML } from "../../base/morph.js";
import "../../base/prose/callout_name.js";
import { listKind, noteHeading } from "../tail/blocks.js";
import { Tail } from "../tail/tail.js";

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]|$)/gm;
// Characters of plain text in one node: only the last node is laid out again.
const MAX_NODE = 8_000;

export class LiveText {
  #document;
  #element;
  #tail = null;
  #final = null; // the last node that is no tail, and the last item of its list
  #finalItem = null;
  #list = null; // the list at the end, with which the tail may go on: { element, kind }
  #levels = [];
  #covered = 0;
  #length = 0;

  constructor(document, element) {
    this.#document = document;
    this.#element = element;
  }

  // `part` only ever grows; another generation begins with `clear`.
  update({ text, blocks }) {
    const fresh = blocks.slice(blocks.findLastIndex(({ end }) => end <= this.#covered) + 1);
    if (fresh.length > 0) this.#removeTail();
    for (const block of fresh) this.#addBlock(block, text);
    if (this.#tail === null) this.#beginTail(text.slice(this.#covered));
    else if (text.length > this.#length) this.#tail.feed(text.slice(this.#length));
    this.#length = text.length;
  }

  clear() {
    this.#element.replaceChildren();
    this.#tail = this.#final = this.#finalItem = this.#list = null;
    this.#levels = [];
    this.#covered = this.#length = 0;
  }

  #addBlock(block, text) {
    // Text before the first known block, after a snapshot.
    if (block.start > this.#covered) this.#addPlain(text.slice(this.#covered, block.start));
    const source = text.slice(block.start, block.end);
    const html = parseHTML(this.#document, block.html);
    const list = html.firstElementChild;
    const before = this.#element.lastElementChild;
    if (list?.classList.contains("continued") && before?.localName === list.localName) {
      before.append(...list.childNodes);
      list.remove();
    }
    this.#element.append(html);
    this.#covered = block.end;
    this.#noteEnd(source);
  }

  #noteEnd(source) {
    const last = this.#element.lastElementChild;
    // A line of code may begin as a heading does.
    const headings = last?.localName === "figure" ? [] : source.matchAll(HEADING);
    for (const [, marks] of headings) noteHeading(this.#levels, marks.length);
    const kind = /^[uo]l$/.test(last?.localName) ? listKind(source) : null;
    this.#list = kind ? { element: last, kind } : null;
    this.#final = this.#element.lastChild;
    this.#finalItem = this.#list ? last.lastChild : null;
  }

  #addPlain(text) {
    if (text.trim()) new Tail(this.#document, this.#element).feed(`${text}\n`);
  }

  #beginTail(text) {
    if (!text.trim()) return;
    const options = { levels: [...this.#levels], list: this.#list };
    this.#tail = new Tail(this.#document, this.#element, options);
    this.#tail.feed(text);
  }

  #removeTail() {
    this.#tail = null;
    removeAfter(this.#element, this.#final);
    if (this.#list) removeAfter(this.#list.element, this.#finalItem);
  }
}

function removeAfter(element, last) {
  while (element.lastChild !== last) element.lastChild.remove();
}

// Text that is no Markdown, such as reasoning.
export class PlainText {
  #document;
  #element;
  #node = null;
  #length = 0;

  constructor(document, element) {
    this.#document = document;
    this.#element = element;
  }

  update({ text }) {
    if (text.length === this.#length) return;
    if (this.#node === null || this.#node.length > MAX_NODE) this.#addNode();
    this.#node.appendData(text.slice(this.#length));
    this.#length = text.length;
  }

  clear() {
    this.#element.replaceChildren();
    this.#node = null;
    this.#length = 0;
  }

  #addNode() {
    this.#node = this.#document.createTextNode("");
    this.#element.append(this.#node);
  }
}
