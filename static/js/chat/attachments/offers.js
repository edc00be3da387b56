// Prompts (`/`) and resources of servers, for the message that is being written. A dialog lists them, asks for a prompt's arguments, and waits for the server's answer.

import { gettext, interpolate } from "../../base/i18n.js";
import { fits } from "./offers_search.js";

const POLL_MS = 300;
const LONGEST_MS = 120_000;

export class Offers extends EventTarget {
  #dialog;
  #token;
  #conversation;
  #offers = null;
  #running = 0;

  // Dispatches `taken` with { text, attachments, notes }, and `closed` without a choice.
  constructor(dialog, { token, conversation }) {
    super();
    this.#dialog = dialog;
    this.#token = token;
    this.#conversation = conversation;
    this.#search.addEventListener("input", () => this.#list());
    this.#list_.addEventListener("click", (event) => this.#chosen(event.target.closest("button")));
    this.#form.addEventListener("submit", (event) => this.#submitted(event));
    dialog.querySelector("[data-offers-back]").addEventListener("click", () => this.#show("list"));
    dialog.addEventListener("close", () => {
      this.#running += 1;
      this.dispatchEvent(new Event("closed"));
    });
  }

  async open() {
    this.#say("");
    this.#show("list");
    this.#search.value = "";
    this.#dialog.showModal();
    try {
      const response = await fetch(this.#dialog.dataset.offersUrl);
      if (!response.ok) throw new Error();
      this.#offers = await response.json();
    } catch {
      this.#say(gettext("Prompts and resources could not be loaded. Try again."));
    }
    this.#list();
    this.#search.focus();
  }

  get #search() {
    return this.#dialog.querySelector("[data-offers-search]");
  }

  get #list_() {
    return this.#dialog.querySelector("[data-offers-list]");
  }

  get #form() {
    return this.#dialog.querySelector("[data-offers-form]");
  }

  #show(part) {
    this.#dialog.querySelector("[data-offers-choice]").hidden = part !== "list";
    this.#form.hidden = part !== "form";
  }

  #say(sentence) {
    this.#dialog.querySelector("[data-offers-said]").textContent = sentence;
  }

  #list() {
    if (!this.#offers) return;
    const wanted = this.#search.value;
    const rows = [
      ...this.#offers.prompts.map((one) => ({ kind: "prompt", one })),
      ...this.#offers.resources.map((one) => ({ kind: "resource", one })),
    ].filter(({ one }) => fits(one, wanted));
    this.#list_.replaceChildren(...rows.map((row) => this.#row(row)));
    const none = this.#offers.prompts.length + this.#offers.resources.length === 0;
    const empty = none ? gettext("No server offers prompts or resources.") : gettext("No matches.");
    this.#say(rows.length ? "" : empty);
  }

  #row({ kind, one }) {
    const item = this.#dialog.querySelector("template").content.firstElementChild.cloneNode(true);
    const button = item.querySelector("button");
    const name = one.title || one.name || one.uri;
    button.querySelector("[data-offer-name]").textContent = kind === "prompt" ? `/${name}` : name;
    button.querySelector("[data-offer-server]").textContent = one.server;
    button.querySelector("[data-offer-about]").textContent = one.description || one.uri || "";
    button.offered = { kind, one };
    return item;
  }

  #chosen(button) {
    if (!button) return;
    const { kind, one } = button.offered;
    if (kind === "prompt" && one.arguments?.length) this.#askArguments(one);
    else this.#ask(kind, one, {});
  }

  #askArguments(one) {
    const document = this.#dialog.ownerDocument;
    const fields = one.arguments.map((argument) => {
      const label = document.createElement("label");
      const name = document.createElement("span");
      name.textContent = argument.required ? `${argument.name} (required)` : argument.name;
      const field = document.createElement("input");
      field.name = argument.name;
      field.required = Boolean(argument.required);
      field.dir = "auto";
      field.autocomplete = "off";
      const about = document.createElement("span");
      about.className = "faint";
      about.textContent = argument.description ?? "";
      label.append(name, field, about);
      return label;
    });
    this.#form.querySelector("[data-offers-fields]").replaceChildren(...fields);
    this.#form.querySelector("[data-offers-title]").textContent = `/${one.title || one.name}`;
    this.#form.offered = one;
    this.#say("");
    this.#show("form");
    fields[0].querySelector("input").focus();
  }

  #submitted(event) {
    event.preventDefault();
    const given = Object.fromEntries(
      [...this.#form.querySelectorAll("input")]
        .filter((field) => field.value)
        .map((field) => [field.name, field.value]),
    );
    this.#ask("prompt", this.#form.offered, given);
  }

  async #ask(kind, one, given) {
    const run = ++this.#running;
    this.#say(interpolate(gettext("Asking %(server)s …"), { server: one.server }));
    try {
      const answer = await this.#answer(run, kind, one, given);
      if (run !== this.#running) return; // closed, or another one was chosen
      this.dispatchEvent(new CustomEvent("taken", { detail: answer }));
      this.#dialog.close();
    } catch (error) {
      if (run === this.#running) this.#say(error.message);
    }
  }

  async #answer(run, kind, one, given) {
    const { askUrl, takeUrl } = this.#dialog.dataset;
    const asked = await this.#post(askUrl, {
      server: one.server_id,
      kind,
      uri: one.uri ?? "",
      name: one.name,
      arguments: JSON.stringify(given),
      conversation: this.#conversation() ?? "",
    });
    const until = Date.now() + LONGEST_MS;
    while (run === this.#running && Date.now() < until) {
      const answer = await this.#post(takeUrl.replace(/0{8}-.*-0{12}/, asked.id), {});
      if (answer.state === "failed") throw new Error(answer.error);
      if (answer.state === "succeeded") return answer;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    throw new Error(gettext("No answer. Try again."));
  }

  async #post(url, fields) {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    const headers = { "X-CSRFToken": this.#token(), "X-Requested-With": "fetch" };
    const response = await fetch(url, { method: "POST", headers, body }).catch(() => null);
    if (!response) throw new Error(gettext("No connection. Try again."));
    const answer = await response.json().catch(() => ({}));
    if (!response.ok) throw new Error(answer.error ?? gettext("This failed. Try again."));
    return answer;
  }
}
