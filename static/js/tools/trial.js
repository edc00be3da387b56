// A trial: posts a form, shows its progress, and polls until it is over.

import { gettext } from "../base/i18n.js";
import { fetchPartial, pollWhile, replaceContents } from "../base/partials.js";

const EVERY_MS = 400;
const SLOW_AFTER = 25; // polls; a package runner may take a minute to download a server

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
      await this.#show(url, { method: "POST", body });
    } catch {
      this.#say(gettext("The server cannot be reached. Try again in a moment."));
      return;
    }
    await pollWhile(
      () => number === this.#number && this.#section?.dataset.over === "no",
      () => this.#show(this.#section.dataset.trialUrl),
      { everyMs: EVERY_MS, slowAfter: SLOW_AFTER },
    );
  }

  get #section() {
    return this.#place.querySelector("[data-trial-url]");
  }

  async #show(url, options) {
    const response = await fetchPartial(url, options);
    if (response) replaceContents(this.#place, await response.text());
  }

  #say(sentence) {
    const line = document.createElement("p");
    line.className = "errorlist";
    line.textContent = sentence;
    this.#place.replaceChildren(line);
  }
}
