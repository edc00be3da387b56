// The end of a text whose last Markdown block is not complete, shown as what it is.

import { Blocks } from "./blocks.js";

// Characters of a line after which it is decided what the line is.
const MAX_WAIT = 300;

export class Tail {
  #blocks;
  #line = "";
  #sink = null;

  constructor(document, element, options) {
    this.#blocks = new Blocks(document, element, options);
  }

  feed(text) {
    let at = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", at)) {
      this.#feedLine(text.slice(at, end), true);
      at = end + 1;
    }
    if (at < text.length) this.#feedLine(text.slice(at), false);
  }

  #feedLine(text, isWhole) {
    if (this.#sink !== null) {
      this.#sink.push(text);
    } else {
      this.#line += text;
      const isDecided = isWhole || this.#line.length > MAX_WAIT || !this.#blocks.waits(this.#line);
      if (isDecided) this.#sink = this.#blocks.begin(this.#line);
    }
    if (!isWhole) return;
    this.#sink.end();
    this.#sink = null;
    this.#line = "";
  }
}
