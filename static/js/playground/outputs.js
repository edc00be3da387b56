// The outputs: fetched, put into the page, and polled while a run is under way.

import { morph, parseHTML } from "../base/morph.js";
import { fetchPartial, HEADERS, pollWhile } from "../base/partials.js";

const EVERY_MS = 500;
const SLOW_AFTER = 120; // polls

function section() {
  return document.getElementById("outputs");
}

function address() {
  return location.pathname + location.search;
}

export class Outputs {
  #number = 0;
  #shown = address();

  constructor() {
    document.addEventListener("click", (event) => this.#choose(event));
    document.addEventListener("submit", (event) => this.#stop(event));
    // A link within the page, such as "Skip to content", leads to what is shown.
    addEventListener("popstate", () => address() !== this.#shown && location.reload());
    this.#follow((this.#number += 1));
  }

  // Shows another comparison at its address.
  async show(query, url) {
    const number = (this.#number += 1);
    history.pushState(null, "", query);
    this.#shown = address();
    section().setAttribute("aria-busy", "true");
    await this.#fetch(url).catch(() => {}); // offline: a banner says so
    await this.#follow(number);
  }

  // What is shown gets another address.
  readdress(to) {
    history.replaceState(null, "", to);
    this.#shown = address();
  }

  #choose(event) {
    const link = event.target.closest?.("a[data-outputs]");
    if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    this.show(new URL(link.href).search, link.dataset.outputs);
  }

  async #stop(event) {
    if (!event.target.matches?.("[data-stop]")) return;
    event.preventDefault();
    event.target.querySelector("button").disabled = true;
    await fetch(event.target.action, { method: "POST", headers: HEADERS, body: new FormData(event.target) }).catch(() => {});
  }

  async #follow(number) {
    await pollWhile(
      () => number === this.#number && section().dataset.open === "yes",
      () => this.#fetch(section().dataset.outputsUrl),
      { everyMs: EVERY_MS, slowAfter: SLOW_AFTER },
    );
  }

  async #fetch(url) {
    const response = await fetchPartial(url);
    if (response?.ok) morph(section(), parseHTML(document, await response.text()).querySelector("#outputs"));
  }
}
