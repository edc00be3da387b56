// A response while it comes, replayed or live: a text for each of its parts, in the look that the
// server gives them when they are whole.

import { gettext } from "../../base/i18n.js";

// A reader who is so near to the end of a text stays there while it grows.
const NEAR_PX = 24;
const TITLES = { reasoning: gettext("Reasoning"), refusal: gettext("Refusal") };

export class Stream {
  #shown = [];

  constructor(document) {
    this.element = document.createElement("div");
    this.element.className = "stream";
    this.element.dataset.stream = "";
  }

  // `parts` are { kind, name, id, text }; a part that says nothing yet is not shown.
  show(parts) {
    const said = parts.filter(({ kind, text, name }) => text || (kind === "call" && name));
    while (this.#shown.length > said.length) this.#shown.pop().element.remove();
    said.forEach((part, place) => this.#showPart(part, place));
  }

  #showPart(part, place) {
    if (this.#shown[place]?.kind !== part.kind || this.#shown[place].name !== part.name) {
      const fresh = makePart(this.element.ownerDocument, part);
      if (this.#shown[place]) this.#shown[place].element.replaceWith(fresh.element);
      else this.element.append(fresh.element);
      this.#shown[place] = fresh;
    }
    write(this.#shown[place], part.text);
  }
}

function makePart(document, { kind, name }) {
  const element = document.createElement("div");
  const text = document.createElement("pre");
  text.dir = "auto";
  if (kind === "call") {
    element.className = "message-call";
    element.append(line(document, "p", "message-call-name", name));
    text.className = "code";
  } else {
    if (TITLES[kind]) element.append(line(document, "h4", "", TITLES[kind]));
    text.className = "response-text";
  }
  element.append(text);
  return { element, kind, name, text };
}

function line(document, tag, className, words) {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = words;
  return element;
}

// Only what is new is written, so that a long text costs no more than a short one.
function write(shown, text) {
  const node = shown.text.firstChild;
  if (node?.data === text) return;
  const { scrollTop, clientHeight, scrollHeight } = shown.text;
  const isAtEnd = scrollTop + clientHeight >= scrollHeight - NEAR_PX;
  if (node && text.startsWith(node.data)) node.appendData(text.slice(node.data.length));
  else shown.text.textContent = text;
  if (isAtEnd) shown.text.scrollTop = shown.text.scrollHeight;
}
