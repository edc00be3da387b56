// Saves the draft on the server while it is edited, shortly after the last change.

import { gettext } from "../base/i18n.js";

const PAUSE_MS = 600;
// Bytes of a request that a browser still sends while a page is closed (`keepalive`).
const MAX_KEEPALIVE = 60_000;

export class DraftSaver {
  #url;
  #token;
  #showStatus;
  #text = null; // a function that makes it, or null if everything is saved
  #timer = 0;
  #sending = false;

  constructor(url, token, showStatus) {
    this.#url = url;
    this.#token = token;
    this.#showStatus = showStatus;
    addEventListener("pagehide", () => this.#leave());
  }

  changed(text) {
    this.#text = text;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#send(), PAUSE_MS);
  }

  // A run sends the draft itself.
  skip() {
    clearTimeout(this.#timer);
    this.#text = null;
  }

  async #send() {
    if (this.#sending || this.#text === null) return;
    const text = this.#text;
    this.#sending = true;
    this.#text = null;
    try {
      const response = await fetch(this.#url, { method: "POST", headers: { "X-Requested-With": "fetch" }, body: this.#body(text()) });
      if (response.ok && !response.redirected) this.#showStatus(gettext("Draft saved"));
      else this.#showStatus(response.status === 413 ? gettext("Not saved: the draft is too large for the playground.") : gettext("Not saved: copy the JSON, then reload the page when the server is back."));
    } catch {
      this.#text ??= text;
      this.#showStatus(gettext("Not saved yet: the server cannot be reached."));
    } finally {
      this.#sending = false;
      if (this.#text !== null) this.changed(this.#text);
    }
  }

  #leave() {
    const text = this.#text?.();
    if (text === undefined || text.length > MAX_KEEPALIVE) return;
    fetch(this.#url, { method: "POST", headers: { "X-Requested-With": "fetch" }, body: this.#body(text), keepalive: true }).catch(() => {});
  }

  #body(text) {
    const body = new FormData();
    body.set("csrfmiddlewaretoken", this.#token);
    body.set("draft", text);
    return body;
  }
}
