// The thumbs at an answer's foot: a press rates it, another press takes that back, a note says why.
// What is rated in one tab is shown in the others.

import { gettext } from "../../base/i18n.js";
import { HEADERS } from "../../base/partials.js";
import { morph, parseHTML } from "../../base/morph.js";
import { toast } from "../../base/toast.js";

export class Feedback {
  #document;
  #server;
  // By turn: how often its feedback has changed, as far as this tab knows.
  #changes = new Map();
  // The turns that this tab is rating: the reply shows them.
  #sending = new Set();

  constructor(document, server) {
    this.#document = document;
    this.#server = server;
  }

  rate(button) {
    const place = button.closest("[data-feedback]");
    const chosen = place.dataset.rating === button.dataset.rate ? "" : button.dataset.rate;
    this.#send(place, { rating: chosen }, `[data-rate=${button.dataset.rate}]`);
  }

  note(form) {
    const place = form.closest("[data-feedback]");
    const values = { rating: place.dataset.rating, note: form.elements.note.value };
    this.#send(place, values, ".feedback-note > summary");
  }

  // Rated, here or elsewhere. A note that is being written here stays, also when the rating goes.
  async follow({ turn }) {
    const change = this.#changed(turn);
    if (!this.#placeOf(turn) || this.#sending.has(turn)) return;
    try {
      const fresh = feedbackIn(this.#document, await this.#server.get("turn", turn));
      const place = this.#placeOf(turn);
      // What changed meanwhile is not in what was fetched.
      if (change !== this.#changes.get(turn) || !fresh || !place) return;
      if (fresh.querySelector("form") || !isWriting(place)) morph(place, fresh);
    } catch {
      // Offline, or signed out: the page says so, and a reload shows it.
    }
  }

  async #send(place, values, focused) {
    const document = this.#document;
    const address = place.dataset.feedback;
    const turn = address.split("/").at(-2);
    const body = new URLSearchParams(values);
    body.set("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value);
    this.#sending.add(turn);
    const change = this.#changed(turn);
    try {
      const response = await fetch(address, { method: "POST", headers: HEADERS, body });
      if (response.status === 409) toast(document, (await response.json()).error);
      else if (!response.ok || response.redirected) toast(document, gettext("Your feedback was not kept. Try again."));
      else this.#show(turn, feedbackIn(document, await response.text()), focused);
    } catch {
      toast(document, gettext("The server cannot be reached. Try again in a moment."));
    } finally {
      this.#sending.delete(turn);
      if (change !== this.#changes.get(turn)) this.follow({ turn });
    }
  }

  // The field of a note that was just asked for gets the focus, else what had it before.
  #show(turn, fresh, focused) {
    this.#placeOf(turn)?.replaceWith(fresh);
    (fresh.querySelector("details[open] input") ?? fresh.querySelector(focused))?.focus();
  }

  #changed(turn) {
    const change = (this.#changes.get(turn) ?? 0) + 1;
    this.#changes.set(turn, change);
    return change;
  }

  #placeOf(turn) {
    return this.#document.querySelector(`[data-feedback$="/turns/${turn}/feedback"]`);
  }
}

function feedbackIn(document, html) {
  return parseHTML(document, html).querySelector("[data-feedback]");
}

function isWriting(place) {
  return place.querySelector("form")?.contains(place.ownerDocument.activeElement);
}
