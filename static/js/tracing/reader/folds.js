// <fold-button data-fold="input"> with a button in it: folds a column of the ladder, or the details.
// What is folded is kept on this device.

import { safeStorage } from "../../base/storage.js";

const KEY = "trace-folded";
const storage = safeStorage(() => localStorage);

// The state is one of the whole page, so that what is put into it later has it too.
function folded(root) {
  return (root.dataset.folded ?? storage.getItem(KEY) ?? "").split(" ").filter(Boolean);
}

class FoldButton extends HTMLElement {
  connectedCallback() {
    this.#root.dataset.folded = folded(this.#root).join(" ");
    this.#mark();
    this.addEventListener("click", () => this.#toggle());
  }

  #toggle() {
    const { fold } = this.dataset;
    const others = folded(this.#root).filter((name) => name !== fold);
    const names = this.#isFolded ? others : [...others, fold];
    this.#root.dataset.folded = names.join(" ");
    storage.setItem(KEY, names.join(" "));
    this.#mark();
  }

  #mark() {
    this.querySelector("button").setAttribute("aria-expanded", String(!this.#isFolded));
  }

  get #isFolded() {
    return folded(this.#root).includes(this.dataset.fold);
  }

  get #root() {
    return this.ownerDocument.documentElement;
  }
}

customElements.define("fold-button", FoldButton);
