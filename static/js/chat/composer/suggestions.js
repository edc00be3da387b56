// The suggestions above the composer while "/…" or "@…" is typed: what it may mean, to be chosen by
// the arrow keys and Enter or Tab. Escape leaves the text as it is.

import { isComposing } from "../../base/composing.js";
import { ranked } from "../../base/fuzzy.js";
import { gettext, interpolate, ngettext } from "../../base/i18n.js";
import { OptionList } from "../../base/option_list.js";
import { tokenAt } from "./suggestion_token.js";

const MOST_SHOWN = 50;

export class Suggestions {
  #pane;
  #field;
  #list;
  #sources;
  #status;
  #replace;
  #token = null;
  #rows = null;
  #loading = null; // a promise of the rows of this token
  #dismissed = null; // the start of a token that Escape has closed

  // `sources` gives, by sign, a function that resolves to { label, rows } groups. `replace(start,
  // end)` removes the token from the field.
  constructor({ pane, field, status, sources, replace }) {
    this.#pane = pane;
    this.#field = field;
    this.#status = status;
    this.#sources = sources;
    this.#replace = replace;
    const list = pane.querySelector("[data-suggestions-list]");
    this.#list = new OptionList(list, field, pane.querySelector("template"));
    this.#list.addEventListener("pick", ({ detail }) => this.#pick(detail));
    field.addEventListener("input", (event) => event.isComposing || this.look());
    // Chrome reports no input after it.
    field.addEventListener("compositionend", () => this.look());
    field.addEventListener("blur", () => this.close());
    for (const moves of ["click", "keyup"]) field.addEventListener(moves, () => this.#moved());
  }

  get isOpen() {
    return !this.#pane.hidden;
  }

  // Whether the key press was one of the list: to be asked before the composer acts on it.
  press(event) {
    if (!this.isOpen || isComposing(event)) return false;
    if (event.key === "Escape") {
      event.preventDefault();
      this.#dismissed = this.#token.start;
      this.close();
      return true;
    }
    if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key !== "Tab") return this.#list.press(event);
    return this.#list.press(new EnterFor(event));
  }

  close() {
    this.#token = this.#rows = this.#loading = null;
    if (!this.isOpen) return;
    this.#pane.hidden = true;
    this.#list.draw([]);
    this.#status.textContent = "";
  }

  // Shows what the token at the cursor may mean.
  look() {
    const token = this.#tokenNow();
    if (token === null) this.#dismissed = null;
    if (token === null || token.start === this.#dismissed) {
      this.close();
      return;
    }
    this.#show(token);
  }

  // The cursor has left the token.
  #moved() {
    if (!this.isOpen) return;
    const token = this.#tokenNow();
    if (token?.start !== this.#token.start) this.close();
  }

  #tokenNow() {
    const { selectionStart, selectionEnd, value } = this.#field;
    return selectionStart === selectionEnd ? tokenAt(value, selectionStart) : null;
  }

  async #show(token) {
    const isAnother = this.#token?.sign !== token.sign || this.#token.start !== token.start;
    this.#token = token;
    if (isAnother) this.#loading = this.#load(token.sign);
    const loading = this.#loading;
    const rows = await loading;
    if (loading !== this.#loading) return; // closed, or another token
    this.#rows = rows;
    if (this.#tokenNow()?.start === this.#token.start) this.#draw();
    else this.close(); // its text was sent, or replaced
  }

  async #load(sign) {
    try {
      return await this.#sources[sign]();
    } catch {
      return [];
    }
  }

  #draw() {
    const { query } = this.#token;
    const textsOf = ({ name, words, about }) => [name, words ?? "", about ?? ""];
    let room = MOST_SHOWN;
    const groups = this.#rows.map(({ label, rows }) => {
      const fitting = ranked(query, rows, textsOf).slice(0, room);
      room -= fitting.length;
      return { label, rows: fitting };
    });
    this.#list.draw(groups, this.#list.chosenId);
    this.#pane.hidden = this.#list.count === 0;
    if (this.#pane.hidden) this.#field.removeAttribute("aria-activedescendant");
    this.#say();
  }

  #say() {
    const { count } = this.#list;
    const words = ngettext("%(count)s suggestion", "%(count)s suggestions", count);
    this.#status.textContent = count ? `${interpolate(words, { count })}. ${gettext("Choose with the arrow keys.")}` : "";
  }

  #pick(command) {
    const { start, end } = this.#tokenNow() ?? this.#token;
    this.close();
    this.#replace(start, end);
    command.run();
  }
}

// Tab chooses as Enter does.
class EnterFor {
  key = "Enter";
  isComposing = false;
  #event;

  constructor(event) {
    this.#event = event;
  }

  preventDefault() {
    this.#event.preventDefault();
  }
}
