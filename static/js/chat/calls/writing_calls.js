// The cards of tool calls that the model still writes: the arguments as they come. They go when the
// calls themselves are announced.

import { interpolate, ngettext } from "../../base/i18n.js";
import { CallsReader, Unescaper } from "./calls_text.js";

// What is shown of a long text is its end: more would have to be laid out at every piece.
const MOST_SHOWN = 24_000;
const LEFT = 16_000;

export class WritingCalls {
  #document;
  #element;
  #reader = new CallsReader();
  #cards = new Map(); // by number: { item, name, count, body, node, unescaper, length }

  constructor(document, element) {
    this.#document = document;
    this.#element = element;
  }

  // `text` only ever grows; another generation begins with `clear`.
  update(text) {
    for (const { number, name, text: fresh, dropped } of this.#reader.read(text)) {
      if (dropped) this.#drop(number);
      else this.#write(this.#card(number), name, fresh);
    }
  }

  clear() {
    if (this.#cards.size === 0) return;
    for (const { item } of this.#cards.values()) item.remove();
    this.#cards.clear();
    this.#reader = new CallsReader();
  }

  #drop(number) {
    this.#cards.get(number)?.item.remove();
    this.#cards.delete(number);
  }

  #write(card, name, fresh) {
    if (name && card.name.textContent !== name) card.name.textContent = name;
    if (!fresh) return;
    card.length += fresh.length;
    const values = { count: card.length.toLocaleString("en") };
    card.count.textContent = interpolate(ngettext("%(count)s character", "%(count)s characters", card.length), values);
    const { body, node } = card;
    const follows = body.scrollHeight - body.scrollTop - body.clientHeight < 40;
    node.appendData(card.unescaper.read(fresh));
    if (node.length > MOST_SHOWN) {
      node.deleteData(0, node.length - LEFT);
      node.insertData(0, "…");
    }
    if (follows) body.scrollTop = body.scrollHeight;
  }

  #card(number) {
    const known = this.#cards.get(number);
    if (known) return known;
    const template = this.#document.getElementById("writing-template");
    const item = template.content.cloneNode(true).firstElementChild;
    const body = item.querySelector("[data-writing-text]");
    const node = this.#document.createTextNode("");
    body.append(node);
    const card = {
      item,
      name: item.querySelector("[data-writing-name]"),
      count: item.querySelector("[data-writing-count]"),
      body,
      node,
      unescaper: new Unescaper(),
      length: 0,
    };
    this.#cards.set(number, card);
    this.#element.append(item);
    return card;
  }
}
