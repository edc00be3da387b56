// Something that is being tried: posts a form, shows how far it is, and asks until it is over.

import { morph, parseHTML } from "../base/morph.js";

const EVERY_MS = 400;
const SLOWER_AFTER = 25; // polls; a package runner may take a minute to download a server
const SLOWER_MS = 2000;
const HEADERS = { Accept: "text/html", "X-Requested-With": "fetch" };

export class Trial {
  #place;
  #number = 0;

  constructor(place) {
    this.#place = place;
  }

  // Resolves when it is over, or another one was begun.
  async begin(url, body) {
    const number = (this.#number += 1);
    this.#place.replaceChildren();
    try {
      await this.#show(await fetch(url, { method: "POST", headers: HEADERS, body }));
    } catch {
      this.#say("The server cannot be reached. Try again in a moment.");
      return;
    }
    await this.#follow(number);
  }

  async #follow(number) {
    for (let polls = 0; ; polls += 1) {
      const section = this.#place.querySelector("[data-trial-url]");
      if (!section || section.dataset.over === "yes") return;
      await new Promise((done) => setTimeout(done, polls < SLOWER_AFTER ? EVERY_MS : SLOWER_MS));
      if (number !== this.#number) return;
      try {
        await this.#show(await fetch(section.dataset.trialUrl, { headers: HEADERS }));
      } catch {
        polls = SLOWER_AFTER; // offline, or the server restarts: a banner says so
      }
    }
  }

  async #show(response) {
    if (response.redirected || response.status === 403) return location.reload();
    const shown = document.createElement("div");
    shown.append(parseHTML(document, await response.text()));
    this.#place.normalize();
    const holder = this.#place.cloneNode(false);
    holder.append(...shown.childNodes);
    morph(this.#place, holder);
  }

  #say(sentence) {
    const line = document.createElement("p");
    line.className = "errorlist";
    line.textContent = sentence;
    this.#place.replaceChildren(line);
  }
}
