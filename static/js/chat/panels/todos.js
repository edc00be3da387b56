// The panel of the model's task list: beside the thread if there is room, else a strip above the
// composer.

import { setIcon } from "../../base/icons.js";
import { countOf, isOver, isUnfolded, newsOf, nowOf, TODO_STATES } from "./todos_list.js";

// As in todos.css.
const WIDE = "(min-width: 78rem)";

export class Todos extends EventTarget {
  #document;
  #element;
  #list;
  #toggle;
  #items;
  #shown = null;
  #chosen = null;
  #wide = matchMedia(WIDE);

  constructor(document) {
    super();
    this.#document = document;
    this.#element = document.getElementById("todos");
    this.#list = document.getElementById("todos-list");
    this.#toggle = document.getElementById("todos-toggle");
    this.#items = [...this.#list.children].map(read);
    this.#toggle.addEventListener("click", () => this.#choose());
    this.#wide.addEventListener("change", () => this.#fold());
    this.#fold();
  }

  // Shows the list of the state; null while it is unknown.
  show(items) {
    if (items === null || items === this.#shown) return;
    this.#shown = items;
    if (JSON.stringify(items.map(bare)) === JSON.stringify(this.#items.map(bare))) return;
    const before = this.#items;
    this.#items = items;
    if (isOver(before) !== isOver(items)) this.#chosen = null;
    this.#draw();
    const news = newsOf(before, items);
    if (news) this.dispatchEvent(new CustomEvent("news", { detail: news }));
  }

  #choose() {
    this.#chosen = this.#toggle.getAttribute("aria-expanded") !== "true";
    this.#fold();
  }

  #fold() {
    const unfolded = isUnfolded(this.#items, this.#chosen, this.#wide.matches);
    this.#toggle.setAttribute("aria-expanded", String(unfolded));
    this.#list.hidden = !unfolded;
    // Scrolls to the item in progress.
    this.#list.querySelector('[data-status="in_progress"]')?.scrollIntoView?.({ block: "nearest" });
  }

  #draw() {
    const items = this.#items;
    this.#element.hidden = items.length === 0;
    this.#element.toggleAttribute("data-over", isOver(items));
    this.#element.querySelector("[data-todos-count]").textContent = countOf(items);
    this.#element.querySelector("[data-todos-now]").textContent = nowOf(items);
    while (this.#list.children.length > items.length) this.#list.lastElementChild.remove();
    const template = this.#document.getElementById("todo-template");
    items.forEach((item, at) => {
      if (!this.#list.children[at]) this.#list.append(template.content.cloneNode(true));
      this.#drawItem(this.#list.children[at], item);
    });
    this.#fold();
  }

  #drawItem(element, { text, status }) {
    const [word, icon] = TODO_STATES[status];
    element.dataset.status = status;
    element.querySelector("[data-todo-word]").textContent = word;
    element.querySelector("[data-todo-text]").textContent = text;
    setIcon(this.#document, element.querySelector("svg"), icon);
  }
}

function read(element) {
  const text = element.querySelector("[data-todo-text]").textContent;
  return { text, status: element.dataset.status };
}

function bare({ text, status }) {
  return [text, status];
}
