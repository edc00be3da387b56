// The sidebar: the list of conversations, a search while typing, a drawer on a phone.

import { isComposing } from "../../base/composing.js";
import { morph, parseHTML } from "../../base/morph.js";

const TYPING_PAUSE_MS = 150;

export class Sidebar {
  #document;
  #server;
  #list;
  #input;
  #current;
  #typing = null;
  #requests = 0;
  #shown = 0; // the number of the request whose answer is shown

  constructor(document, server, current) {
    this.#document = document;
    this.#server = server;
    this.#current = current;
    this.#list = document.getElementById("conversations");
    this.#input = document.getElementById("search-input");
    this.#input.addEventListener("input", () => this.#searchSoon());
    document.getElementById("search").addEventListener("submit", (event) => this.#openFirst(event));
    this.#list.addEventListener("click", (event) => this.#more(event));
    this.#input.closest("nav").addEventListener("keydown", (event) => this.#move(event));
    document.addEventListener("click", (event) => this.#toggle(event));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.isOpen) this.close();
    });
  }

  get isOpen() {
    return this.#document.body.classList.contains("sidebar-is-open");
  }

  set current(conversation) {
    this.#current = conversation;
  }

  titleOf(conversation) {
    const link = this.#document.querySelector(`[data-conversation-link="${conversation}"] > bdi`);
    return link?.textContent ?? null;
  }

  // An answer that was overtaken is not shown.
  async refresh() {
    const number = (this.#requests += 1);
    const parameters = new URLSearchParams({ q: this.#input.value, current: this.#current ?? "" });
    const html = await this.#fetch(`${this.#server.url("conversations", "")}?${parameters}`);
    if (html === null || number < this.#shown) return;
    this.#shown = number;
    const fresh = this.#list.cloneNode(false);
    fresh.append(parseHTML(this.#document, html));
    morph(this.#list, fresh);
  }

  search() {
    this.open();
    this.#input.focus();
    this.#input.select();
  }

  open() {
    this.#document.body.classList.add("sidebar-is-open");
    this.#opener.setAttribute("aria-expanded", "true");
  }

  close() {
    this.#document.body.classList.remove("sidebar-is-open");
    this.#opener.setAttribute("aria-expanded", "false");
    if (this.#opener.checkVisibility()) this.#opener.focus();
  }

  get #opener() {
    return this.#document.querySelector("[data-sidebar-open]");
  }

  #toggle(event) {
    if (event.target.closest("[data-sidebar-open]")) {
      this.open();
      this.#document.getElementById("new-conversation").focus();
    } else if (event.target.closest("[data-sidebar-close]")) {
      this.close();
    }
  }

  #searchSoon() {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.refresh(), TYPING_PAUSE_MS);
  }

  // Enter goes to the results; without any it opens the page that searches with filters.
  #openFirst(event) {
    const first = this.#list.querySelector("[data-conversation-link]");
    if (!first) return;
    event.preventDefault();
    first.focus();
  }

  // The arrow keys go through projects and conversations, or what a search has found; from the first
  // row back to the search, and from a row to the button of its actions: one tab stop a row.
  #move(event) {
    if (this.#moveWithinRow(event)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const isInput = event.target === this.#input;
    const link = event.target.closest(".conversation-link");
    if (!step || !(isInput || link) || isComposing(event)) return;
    const within = this.#input.value.trim() ? this.#list : this.#input.closest("nav");
    const links = [...within.querySelectorAll(".conversation-link")].filter((one) => one.checkVisibility());
    const place = links.indexOf(link) + step;
    if (isInput && step < 0) return;
    event.preventDefault();
    if (place < 0) this.#input.focus();
    else links[Math.min(place, links.length - 1)]?.focus();
  }

  #moveWithinRow(event) {
    const row = event.target.closest("[data-row]");
    if (!row || !["ArrowLeft", "ArrowRight"].includes(event.key)) return false;
    const button = event.key === "ArrowRight" ? "[data-row-menu]" : "[data-conversation-link]";
    event.preventDefault();
    row.querySelector(button)?.focus();
    return true;
  }

  async #more(event) {
    const button = event.target.closest("[data-more]");
    if (!button) return;
    button.disabled = true;
    const html = await this.#fetch(button.dataset.more);
    if (html === null) button.disabled = false;
    else button.replaceWith(parseHTML(this.#document, html));
  }

  // Null if it cannot be fetched now: the list stays as it is.
  async #fetch(url) {
    try {
      return await this.#server.getUrl(url);
    } catch {
      return null;
    }
  }
}
