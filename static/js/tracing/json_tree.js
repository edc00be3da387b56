// <json-tree>: the row one is at, its path and value to copy, arrow keys, and a search within.

import { gettext, interpolate } from "../base/i18n.js";
import { copy } from "../base/copy.js";
import { copied, pathOf, valueOf } from "./reader/json_path.js";

// A tree with fewer rows is seen at a glance: it has the keys, but no bar.
const FEW_ROWS = 8;
const BAR = `
  <code data-path>$</code>
  <input type="search" aria-label="${gettext("Find in this JSON")}" placeholder="${gettext("Find")}" autocomplete="off" spellcheck="false">
  <span data-told aria-live="polite"></span>
  <button type="button" class="button button-quiet" data-copies="path" title="${gettext("Copy the path (p)")}">${gettext("path")}</button>
  <button type="button" class="button button-quiet" data-copies="value" title="${gettext("Copy the value (c)")}">${gettext("value")}</button>
  <button type="button" class="button button-quiet" data-folds="open" title="${gettext("Unfold all")}">${gettext("unfold")}</button>
  <button type="button" class="button button-quiet" data-folds="" title="${gettext("Fold all")}">${gettext("fold")}</button>`;

class JsonTree extends HTMLElement {
  connectedCallback() {
    if (this.isReady) return;
    this.isReady = true;
    if (this.querySelectorAll(".json-row").length >= FEW_ROWS) this.#addBar();
    this.addEventListener("click", (event) => this.#clicked(event));
    this.addEventListener("focusin", ({ target }) => this.#at(target.closest(".json-row")));
    this.addEventListener("keydown", (event) => this.#pressed(event));
  }

  #addBar() {
    this.bar = document.createElement("div");
    this.bar.className = "json-bar";
    this.bar.innerHTML = BAR;
    this.prepend(this.bar);
    this.bar.querySelector("input").addEventListener("input", ({ target }) => this.#find(target.value));
  }

  #clicked({ target }) {
    const button = target.closest("button");
    if (!button) return this.#at(target.closest(".json-row"));
    if (button.dataset.copies) return this.#copy(button.dataset.copies);
    const all = [...this.querySelectorAll("details")].slice(1);
    for (const node of all) node.open = button.dataset.folds === "open";
  }

  #at(row) {
    if (!row || row === this.current) return;
    this.current?.removeAttribute("data-current");
    this.current = row;
    row.setAttribute("data-current", "");
    if (this.bar) this.bar.querySelector("[data-path]").textContent = pathOf(stepsTo(row, this));
  }

  #copy(what) {
    const row = this.current ?? this.querySelector(".json-row");
    const text = what === "path" ? pathOf(stepsTo(row, this)) : copied(valueOf(nodeOf(row)));
    copy(document, text);
  }

  #pressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.matches("input")) return this.#inField(event);
    const deeds = {
      ArrowDown: () => this.#move(1),
      ArrowUp: () => this.#move(-1),
      ArrowRight: () => this.#fold(true),
      ArrowLeft: () => this.#fold(false),
      c: () => this.#copy("value"),
      p: () => this.#copy("path"),
    };
    if (!deeds[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    deeds[event.key]();
  }

  #inField(event) {
    event.stopPropagation();
    if (event.key === "Enter") this.#goto(event.shiftKey ? -1 : 1);
  }

  #move(step) {
    const rows = [...this.querySelectorAll(".json-row")].filter((row) => row.checkVisibility());
    const next = rows[Math.max(0, rows.indexOf(this.current) + step)];
    next?.focus();
    this.#at(next);
  }

  // Folds what one is at, or goes to what it is in.
  #fold(open) {
    const node = this.current?.parentElement.closest("details");
    const own = this.current?.matches("summary") ? node : null;
    if (own && own.open !== open) own.open = open;
    else if (open) this.#move(1);
    else (own ? own.parentElement.closest("details") : node)?.querySelector("summary").focus();
  }

  // Opens what has it, marks the rows, and says how many there are.
  #find(wish) {
    const wanted = wish.toLowerCase();
    this.found = [];
    this.place = -1;
    for (const row of this.querySelectorAll(".json-row")) {
      const own = [...row.childNodes].filter((node) => !node.classList?.contains("json-peek"));
      const isFound = wanted && own.some((node) => node.textContent.toLowerCase().includes(wanted));
      row.toggleAttribute("data-found", Boolean(isFound));
      if (isFound) this.found.push(row);
    }
    this.#tell(wanted);
    if (wanted) this.#goto(1);
  }

  #goto(step) {
    if (!this.found?.length) return;
    this.place = (this.place + step + this.found.length) % this.found.length;
    const row = this.found[this.place];
    const own = row.matches("summary") ? row.parentElement.parentElement : row;
    for (let node = own.closest("details"); node && this.contains(node); node = node.parentElement.closest("details")) {
      node.open = true;
    }
    row.scrollIntoView({ block: "nearest" });
    this.#at(row);
    this.#tell(true);
  }

  #tell(wanted) {
    const said = this.found.length ? interpolate(gettext("%(number)s of %(count)s"), { number: this.place + 1, count: this.found.length }) : gettext("not found");
    this.bar.querySelector("[data-told]").textContent = wanted ? said : "";
  }
}

// The keys and places that lead from the root to a row.
function stepsTo(row, root) {
  const steps = [];
  let child = row.matches("summary") ? row.parentElement : row;
  while (child.parentElement && child.parentElement !== root) {
    const inner = child.parentElement;
    steps.unshift(keyOf(child) ?? [...inner.children].indexOf(child));
    child = inner.parentElement;
  }
  return steps;
}

// The token of an element's key; null in a list.
function keyOf(element) {
  const row = element.matches("details") ? element.querySelector("summary") : element;
  return row.querySelector(":scope > .json-key")?.textContent ?? null;
}

function nodeOf(row) {
  if (!row.matches("summary")) return leafOf(row);
  const inner = row.parentElement.querySelector(":scope > .json-inner");
  const children = [...inner.children].map((child) =>
    nodeOf(child.matches("details") ? child.querySelector("summary") : child),
  );
  return { key: keyOf(row), open: row.dataset.open, children };
}

function leafOf(row) {
  const key = keyOf(row);
  return { key, token: key ? row.textContent.slice(key.length + 2) : row.textContent };
}

customElements.define("json-tree", JsonTree);
