// The context share in the head, and the button for a summary of the older part.

import { gettext } from "../../base/i18n.js";
import { randomKey } from "../../base/keys.js";
import { detailOf, percentOf, ruleOf, warns } from "./context_share.js";

const UNREACHABLE = gettext("The server cannot be reached. Try again in a moment.");
const SIGNED_OUT = gettext("You are signed out. Sign in again to go on.");

export class Context extends EventTarget {
  #document;
  #server;
  #model;
  #conversation;
  #menu;
  #form;
  #said;
  #shown = null;
  // The idempotency key, kept until the request is answered.
  #key = randomKey();

  constructor(document, server, { conversation, model }) {
    super();
    this.#document = document;
    this.#server = server;
    this.#model = model;
    this.#conversation = conversation;
    this.#menu = document.getElementById("context");
    if (!this.#menu) return;
    this.#form = document.getElementById("compact");
    this.#said = this.#menu.querySelector("[data-compact-said]");
    this.#form.addEventListener("submit", (event) => this.#submit(event));
    this.#menu.addEventListener("toggle", () => this.#say(""));
    document.querySelector("[data-context-open]")?.addEventListener("click", () => this.#open());
  }

  // A new conversation has got its id.
  begin(conversation) {
    this.#conversation = conversation;
    if (this.#menu) this.#menu.hidden = false;
  }

  // Shows the share of the state; null while it is unknown.
  show(share, isRunning) {
    if (!this.#menu) return;
    const when = isRunning ? gettext("Summarise before the next round") : gettext("Summarise older messages now");
    const button = this.#form.querySelector("[data-compact-word]");
    if (button.textContent !== when) button.textContent = when;
    if (share === null || share === this.#shown) return;
    this.#shown = share;
    const percent = percentOf(share);
    this.#find("percent").textContent = `${percent} %`;
    this.#find("detail").textContent = detailOf(share);
    this.#find("rule").textContent = ruleOf(share);
    const meter = this.#find("meter");
    meter.hidden = false;
    meter.value = percent;
    this.#menu.toggleAttribute("data-warns", warns(share));
    this.#find("warning").hidden = !warns(share);
  }

  // Asks for a summary; returns a sentence on what is wrong, or "".
  async summarise() {
    const error = await this.#ask();
    if (!error) this.#key = randomKey();
    return error;
  }

  // Called from the conversation's menu, which closes with the same click.
  #open() {
    setTimeout(() => {
      this.#menu.open = true;
      this.#menu.querySelector("summary").focus();
    });
  }

  #find(name) {
    return this.#menu.querySelector(`[data-context-${name}]`);
  }

  async #submit(event) {
    event.preventDefault();
    const button = this.#form.querySelector("button");
    button.disabled = true;
    this.#say("");
    const error = await this.#ask();
    button.disabled = false;
    if (error) return this.#say(error);
    this.#key = randomKey();
    this.#form.reset();
    this.#menu.open = false;
    this.#menu.querySelector("summary").focus();
    this.dispatchEvent(new CustomEvent("asked"));
  }

  // Returns a sentence on what is wrong, or "".
  async #ask() {
    const body = new FormData(this.#form);
    body.set("key", this.#key);
    body.set("model", this.#model());
    const headers = { "X-Requested-With": "fetch" };
    const url = this.#server.url("compact", this.#conversation);
    try {
      const answer = await fetch(url, { method: "POST", headers, body });
      if (answer.redirected || answer.status === 403) return SIGNED_OUT;
      if (answer.status === 201) return "";
      const { error } = await answer.json();
      if (answer.status === 409) this.#key = randomKey();
      return error ?? UNREACHABLE;
    } catch {
      return UNREACHABLE;
    }
  }

  #say(sentence) {
    this.#said.textContent = sentence;
    this.#said.hidden = !sentence;
  }
}
