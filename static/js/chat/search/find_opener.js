// The bar of the search within the conversation, which is shown and typed into at once; what searches
// is loaded with its first use.

import { OnDemand } from "../../base/on_demand.js";

export class FindOpener {
  #document;
  #page;
  #bar;
  #input;
  #find;

  constructor({ document, page, server, gaps, follower }) {
    this.#document = document;
    this.#page = page;
    this.#bar = document.getElementById("find");
    this.#input = document.getElementById("find-input");
    this.#find = new OnDemand(
      () => import("./find.js"),
      ({ Find }) => new Find({ document, page, server, gaps, follower }),
    );
    this.#bar.querySelector("[data-find-form]").addEventListener("submit", (event) => event.preventDefault());
  }

  // Whether the keys of the search are for it: there is a conversation, and its field has no focus.
  get takesKeys() {
    return this.#page.dataset.conversation !== "" && this.#document.activeElement !== this.#input;
  }

  open() {
    for (const menu of this.#document.querySelectorAll("details[data-menu][open]")) menu.open = false;
    this.#bar.hidden = false;
    this.#input.focus();
    this.#input.select();
    if (this.#find.now === null) this.#find.use((it) => it.begin());
  }
}
