// The outputs: fetched, put into the page, and asked for again while a run is under way.

import { morph, parseHTML } from "../base/morph.js";

const EVERY_MS = 500;
const SLOWER_AFTER = 120;
const SLOWER_MS = 2000;
const HEADERS = { Accept: "text/html", "X-Requested-With": "fetch" };

function section() {
  return document.getElementById("outputs");
}

export class Outputs {
  #number = 0;

  constructor() {
    document.addEventListener("click", (event) => this.#choose(event));
    document.addEventListener("submit", (event) => this.#stop(event));
    addEventListener("popstate", () => location.reload());
    this.#follow((this.#number += 1));
  }

  // Shows another comparison at its address.
  async show(address, url) {
    const number = (this.#number += 1);
    history.pushState(null, "", address);
    section().setAttribute("aria-busy", "true");
    await this.#fetch(url);
    await this.#follow(number);
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
    for (let polls = 0; section().dataset.open === "yes"; polls += 1) {
      await new Promise((done) => setTimeout(done, polls < SLOWER_AFTER ? EVERY_MS : SLOWER_MS));
      if (number !== this.#number) return;
      await this.#fetch(section().dataset.outputsUrl);
    }
  }

  async #fetch(url) {
    try {
      const response = await fetch(url, { headers: HEADERS });
      if (response.redirected || response.status === 403) return location.reload();
      if (response.ok) morph(section(), parseHTML(document, await response.text()).querySelector("#outputs"));
    } catch {
      // Offline, or the server restarts: a banner says so.
    }
  }
}
