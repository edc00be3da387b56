// A listbox whose options an input chooses by its keys, while the focus stays in the input
// (aria-activedescendant). Dispatches `pick` with the chosen command.
//
// A group is { label, rows }, a row a command: { id, name, about, icon, keys } (`commands.js`).

import { keyCaps } from "./commands.js";
import { isComposing } from "./composing.js";
import { setIcon } from "./icons.js";

const PAGE_ROWS = 8;
const IS_MAC = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");

export class OptionList extends EventTarget {
  #list;
  #input;
  #template;
  #options = [];
  #chosen = -1;

  constructor(list, input, template) {
    super();
    this.#list = list;
    this.#input = input;
    this.#template = template;
    list.addEventListener("click", ({ target }) => this.#clicked(target));
    // The input keeps the focus.
    list.addEventListener("mousedown", (event) => event.preventDefault());
  }

  get count() {
    return this.#options.length;
  }

  get chosenId() {
    return this.#options[this.#chosen]?.command.id;
  }

  // `keep` is the id of the command that stays chosen; else it is the first.
  draw(groups, keep = null) {
    this.#options = [];
    const shown = groups.filter(({ rows }) => rows.length);
    this.#list.replaceChildren(...shown.map((group, index) => this.#group(group, index)));
    const kept = this.#options.findIndex(({ command }) => command.id === keep);
    this.#choose(this.#options.length ? Math.max(0, kept) : -1);
  }

  // Whether the key press was one of the list.
  press(event) {
    const { count } = this;
    if (isComposing(event) || count === 0) return false;
    const moved = {
      ArrowDown: (this.#chosen + 1) % count,
      ArrowUp: (this.#chosen - 1 + count) % count,
      PageDown: Math.min(count - 1, this.#chosen + PAGE_ROWS),
      PageUp: Math.max(0, this.#chosen - PAGE_ROWS),
    }[event.key];
    if (moved !== undefined) this.#choose(moved);
    else if (event.key === "Enter") this.#pick(this.#options[this.#chosen]);
    else return false;
    event.preventDefault();
    return true;
  }

  #group({ label, rows }, index) {
    const document = this.#list.ownerDocument;
    const group = document.createElement("div");
    const heading = document.createElement("div");
    heading.className = "option-label";
    heading.id = `${this.#list.id}-label-${index}`;
    heading.textContent = label ?? "";
    group.setAttribute("role", "group");
    group.setAttribute("aria-labelledby", heading.id);
    group.append(heading, ...rows.map((command) => this.#option(command)));
    return group;
  }

  #option(command) {
    const document = this.#list.ownerDocument;
    const element = this.#template.content.firstElementChild.cloneNode(true);
    element.id = `${this.#list.id}-option-${this.#options.length}`;
    element.querySelector("[data-option-name]").textContent = command.name;
    element.querySelector("[data-option-about]").textContent = command.about ?? "";
    setIcon(document, element.querySelector("svg"), command.icon ?? "chevron-right");
    const caps = command.keys ? keyCaps(command, IS_MAC) : [];
    element.querySelector("[data-option-keys]").append(...caps.map((text) => cap(document, text)));
    this.#options.push({ command, element });
    return element;
  }

  #choose(index) {
    this.#options[this.#chosen]?.element.setAttribute("aria-selected", "false");
    this.#chosen = index;
    const element = this.#options[index]?.element;
    element?.setAttribute("aria-selected", "true");
    if (index === 0) this.#list.scrollTop = 0;
    else element?.scrollIntoView({ block: "nearest" });
    if (element) this.#input.setAttribute("aria-activedescendant", element.id);
    else this.#input.removeAttribute("aria-activedescendant");
  }

  #clicked(target) {
    const element = target.closest("[role=option]");
    const option = this.#options.find((one) => one.element === element);
    if (option) this.#pick(option);
  }

  #pick({ command }) {
    this.dispatchEvent(new CustomEvent("pick", { detail: command }));
  }
}

function cap(document, text) {
  const element = document.createElement("kbd");
  element.textContent = text;
  return element;
}
