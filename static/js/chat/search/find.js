// The search within the conversation (Ctrl+F): the server finds messages that are not loaded too.
// Pressed once more within the field, the keys are the browser's own search.

import { isComposing } from "../../base/composing.js";
import { gettext, interpolate } from "../../base/i18n.js";
import { showPlace } from "../thread/place.js";
import { markWords } from "../thread/found_words.js";
import { begun, countOf, placeOf, stepped } from "./find_state.js";

const TYPING_PAUSE_MS = 200;

export class Find {
  #document;
  #page;
  #server;
  #gaps;
  #follower;
  #bar;
  #input;
  #count;
  #state = begun([], false);
  #query = "";
  #typing = null;

  constructor({ document, page, server, gaps, follower }) {
    this.#document = document;
    this.#page = page;
    this.#server = server;
    this.#gaps = gaps;
    this.#follower = follower;
    this.#bar = document.getElementById("find");
    this.#input = document.getElementById("find-input");
    this.#count = document.getElementById("find-count");
    this.#input.addEventListener("input", () => this.#searchSoon());
    this.#bar.addEventListener("keydown", (event) => this.#key(event));
    this.#bar.querySelector("[data-find-form]").addEventListener("submit", () => this.#step(1));
    this.#bar.querySelector("[data-find-previous]").addEventListener("click", () => this.#step(-1));
    this.#bar.querySelector("[data-find-close]").addEventListener("click", () => this.close());
  }

  // Something may be typed already.
  begin() {
    if (this.#input.value) this.#searchSoon();
  }

  close() {
    clearTimeout(this.#typing);
    this.#bar.hidden = true;
    markWords(this.#document, this.#bar, "");
    const current = placeOf(this.#state);
    this.#state = begun([], false);
    this.#query = "";
    const found = current && this.#document.querySelector(`[data-message="${current.split("message-")[1]}"]`);
    if (found) found.tabIndex = -1;
    (found ?? this.#document.getElementById("message")).focus({ preventScroll: true });
  }

  #key(event) {
    if (isComposing(event)) return;
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      this.close();
    } else if (event.key === "Enter" && event.shiftKey && event.target === this.#input) {
      event.preventDefault();
      this.#step(-1);
    }
  }

  #searchSoon() {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#search(), TYPING_PAUSE_MS);
  }

  async #step(step) {
    if (this.#input.value.trim() !== this.#query) return this.#search();
    this.#state = stepped(this.#state, step);
    return this.#show();
  }

  async #search() {
    clearTimeout(this.#typing);
    const query = this.#input.value.trim();
    this.#query = query;
    const found = query ? await this.#found(query) : { messages: [], cut: false };
    if (query !== this.#query) return; // somebody went on typing
    if (found === null) {
      this.#query = "";
      this.#count.textContent = gettext("No connection");
      return;
    }
    this.#state = begun(found.messages, found.cut);
    await this.#show();
  }

  async #found(query) {
    const url = `${this.#server.url("find", this.#page.dataset.conversation)}?${new URLSearchParams({ q: query })}`;
    try {
      return JSON.parse(await this.#server.getUrl(url));
    } catch {
      return null;
    }
  }

  async #show() {
    const count = countOf(this.#state);
    const sentence = count ? interpolate(gettext("%(n)s of %(total)s"), count) : gettext("No results");
    this.#count.textContent = this.#query ? sentence : "";
    const place = placeOf(this.#state);
    if (place === null) {
      markWords(this.#document, this.#bar, "");
      return;
    }
    this.#follower.leave();
    await showPlace(this.#document, place, this.#gaps, this.#query, { keepsFocus: true });
    this.#gaps.watch();
  }
}
