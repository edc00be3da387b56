// Keeps the draft on the server while it is typed, a moment after the last change.

const PAUSE_MS = 600;
// What a page may still send when it is left.
const MOST_AT_THE_END = 60_000;

export class Keeping {
  #url;
  #token;
  #say;
  #text = null; // a function that makes it, or null if what there is is kept
  #timer = 0;
  #sending = false;

  constructor(url, token, say) {
    this.#url = url;
    this.#token = token;
    this.#say = say;
    addEventListener("pagehide", () => this.#leave());
  }

  changed(text) {
    this.#text = text;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#send(), PAUSE_MS);
  }

  // What is on its way with a run need not be kept again.
  taken() {
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
      if (response.ok && !response.redirected) this.#say("Draft kept");
      else this.#say(response.status === 413 ? "Not kept: this is more than the playground takes." : "Not kept: reload the page when the server is back, or copy the JSON first.");
    } catch {
      this.#text ??= text;
      this.#say("Not saved yet: the server cannot be reached.");
    } finally {
      this.#sending = false;
      if (this.#text !== null) this.changed(this.#text);
    }
  }

  #leave() {
    const text = this.#text?.();
    if (text === undefined || text.length > MOST_AT_THE_END) return;
    fetch(this.#url, { method: "POST", headers: { "X-Requested-With": "fetch" }, body: this.#body(text), keepalive: true }).catch(() => {});
  }

  #body(text) {
    const body = new FormData();
    body.set("csrfmiddlewaretoken", this.#token);
    body.set("draft", text);
    return body;
  }
}
