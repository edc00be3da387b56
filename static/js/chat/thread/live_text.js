// The Markdown of a running generation: finished blocks as HTML, then the tail as it is typed. Text
// is appended to one text node; text that is shown is not rendered again.

import { parseHTML } from "../../base/morph.js";
import { tailLook } from "./tail.js";

export class LiveText {
  #document;
  #element;
  #tail = null;
  #node = null;
  #look = null;
  #blocks = 0;
  #covered = 0;
  #length = 0;

  constructor(document, element) {
    this.#document = document;
    this.#element = element;
  }

  // `part` only ever grows; another generation begins with `clear`.
  update({ text, blocks }) {
    const fresh = blocks.slice(this.#blocks);
    for (const block of fresh) this.#addBlock(block, text);
    if (fresh.length > 0 || this.#tail === null) this.#replaceTail(text);
    else if (text.length > this.#length) this.#growTail(text);
    this.#length = text.length;
  }

  clear() {
    this.#element.replaceChildren();
    this.#tail = this.#node = this.#look = null;
    this.#blocks = this.#covered = this.#length = 0;
  }

  #addBlock(block, text) {
    this.#tail?.remove();
    this.#tail = null;
    if (block.start > this.#covered) this.#addPlain(text.slice(this.#covered, block.start));
    const html = parseHTML(this.#document, block.html);
    const list = html.firstElementChild;
    const before = this.#element.lastElementChild;
    if (list?.classList.contains("continued") && before?.localName === list.localName) {
      before.append(...list.childNodes);
      list.remove();
    }
    this.#element.append(html);
    this.#blocks += 1;
    this.#covered = block.end;
  }

  // Text before the first known block, after a snapshot.
  #addPlain(text) {
    if (text.trim()) this.#element.append(this.#tailElement(text));
  }

  #replaceTail(text) {
    this.#tail?.remove();
    this.#tail = null;
    const rest = text.slice(this.#covered);
    if (rest.trim()) {
      this.#tail = this.#tailElement(rest);
      this.#element.append(this.#tail);
    }
  }

  #growTail(text) {
    const rest = text.slice(this.#covered);
    const look = tailLook(rest);
    if (look.kind === this.#look.kind && look.skip === this.#look.skip) {
      this.#node.appendData(text.slice(this.#length));
    } else {
      this.#replaceTail(text);
    }
  }

  #tailElement(text) {
    this.#look = tailLook(text);
    const element = this.#document.createElement("div");
    element.className = `tail tail-${this.#look.kind}`;
    element.dir = "auto";
    this.#node = this.#document.createTextNode(text.slice(this.#look.skip));
    element.append(this.#node);
    return element;
  }
}
