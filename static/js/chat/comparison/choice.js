// Who answers the next message side by side: a menu of models and assistants, and what is chosen as
// chips above the message. Backspace in an empty message removes the last one.

import { isComposing } from "../../base/composing.js";
import { gettext, interpolate, ngettext } from "../../base/i18n.js";
import { parseHTML } from "../../base/morph.js";
import { toast } from "../../base/toast.js";
import { problemOf } from "../connection/server.js";

const MAX_COMPARED = 3;

export class Choice {
  #parts;
  #menu;
  #chips;
  #chosen = []; // { kind, id, name }
  #isLoaded = false;

  constructor(parts) {
    this.#parts = parts;
    const { document, form } = parts;
    this.#menu = document.getElementById("compare-menu");
    this.#chips = document.getElementById("compare-chips");
    this.#menu.addEventListener("click", ({ target }) => this.#clicked(target));
    this.#chips.addEventListener("click", ({ target }) => this.#removed(target));
    this.#chips.addEventListener("keydown", (event) => this.#key(event));
    form.elements.namedItem("message").addEventListener("keydown", (event) => this.#backspace(event));
  }

  get isChosen() {
    return this.#chosen.length > 0;
  }

  get isSingle() {
    return this.#chosen.length === 1;
  }

  take() {
    if (this.#chosen.length < 2) return null;
    const taken = this.#chosen;
    this.#set([]);
    return taken;
  }

  restore(compared) {
    this.#set(compared);
  }

  // Fills the menu, each time that it is opened: models come and go.
  async show() {
    const { document, server } = this.#parts;
    try {
      const html = await server.getUrl(this.#menu.dataset.url);
      const panel = this.#menu.querySelector("[data-compare-panel]");
      panel.replaceChildren(parseHTML(document, html));
      const isFirst = !this.#isLoaded;
      this.#isLoaded = true;
      this.#mark();
      if (isFirst && this.#chosen.length === 0) this.#begin();
      panel.querySelector("button:not(:disabled)")?.focus();
    } catch (error) {
      this.#menu.open = false;
      toast(document, problemOf(error));
    }
  }

  // The model that would answer alone is the first one.
  #begin() {
    const { model } = this.#parts;
    const button = model && this.#menu.querySelector(`[data-compare="model:${model.value}"]`);
    if (button) this.#toggle(button);
  }

  #clicked(target) {
    const button = target.closest("[data-compare]");
    if (button) this.#toggle(button);
  }

  #toggle(button) {
    const [kind, id] = button.dataset.compare.split(":");
    const others = this.#chosen.filter((one) => one.id !== id);
    const isNew = others.length === this.#chosen.length;
    this.#set(isNew ? [...this.#chosen, { kind, id, name: button.dataset.name }] : others);
  }

  #removed(target) {
    const button = target.closest("[data-compare-remove]");
    if (button) this.#remove([...this.#chips.querySelectorAll("[data-compare-remove]")].indexOf(button));
  }

  #remove(at) {
    const { announce, composer } = this.#parts;
    const name = this.#chosen[at].name;
    this.#set(this.#chosen.filter((_, place) => place !== at));
    announce(interpolate(gettext("%(name)s is removed."), { name }));
    const chips = this.#chips.querySelectorAll("[data-compare-remove]");
    const next = chips[Math.min(at, chips.length - 1)];
    if (next) next.focus();
    else composer.focus();
  }

  #key(event) {
    if (!["Backspace", "Delete"].includes(event.key)) return;
    event.preventDefault();
    this.#removed(event.target);
  }

  #backspace(event) {
    const isEmpty = event.target.value === "";
    if (event.key !== "Backspace" || !isEmpty || !this.isChosen || isComposing(event)) return;
    event.preventDefault();
    this.#remove(this.#chosen.length - 1);
    this.#parts.composer.focus();
  }

  #set(chosen) {
    this.#chosen = chosen;
    this.#mark();
    const list = this.#chips.querySelector("[data-compare-list]");
    const template = this.#chips.querySelector("template");
    list.replaceChildren(...chosen.map((one) => chip(template, one)));
    this.#chips.hidden = chosen.length === 0;
    this.#chips.querySelector("[data-compare-hint]").textContent = hint(chosen.length);
  }

  #mark() {
    for (const button of this.#menu.querySelectorAll("[data-compare]")) {
      const isChosen = this.#chosen.some(({ kind, id }) => `${kind}:${id}` === button.dataset.compare);
      button.setAttribute("aria-pressed", String(isChosen));
      button.disabled = !isChosen && this.#chosen.length >= MAX_COMPARED;
    }
  }
}

function chip(template, { name }) {
  const item = template.content.cloneNode(true).firstElementChild;
  item.querySelector("[data-compare-name]").textContent = name;
  const remove = interpolate(gettext("Do not compare %(name)s"), { name });
  item.querySelector("button").setAttribute("aria-label", remove);
  item.querySelector("button").title = remove;
  return item;
}

function hint(count) {
  if (count === 1) return gettext("Choose another one to compare it with.");
  return interpolate(ngettext("%(count)s answer side by side", "%(count)s answers side by side", count), { count });
}
