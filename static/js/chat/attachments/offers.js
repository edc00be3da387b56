// What can be inserted into the message that is being written: prompts of people and of servers,
// skills, resources of servers. A dialog lists them, asks for the variables of a prompt, and waits for
// a server's answer.

import { isComposing } from "../../base/composing.js";
import { gettext, interpolate } from "../../base/i18n.js";
import { fieldsOf, valuesOf } from "./offer_fields.js";
import { fits, hasFields, rowsOf } from "./offers_search.js";

const POLL_MS = 300;
const LONGEST_MS = 120_000;
const FRESH_MS = 15_000;
const BLANK_ID = /0{8}-.*-0{12}/;

export class Offers extends EventTarget {
  #dialog;
  #token;
  #conversation;
  #rows = [];
  #loadedAt = -Infinity;
  #running = 0;

  // Dispatches `taken` with { text, attachments, notes }, and `closed` without a choice.
  constructor(dialog, { token, conversation }) {
    super();
    this.#dialog = dialog;
    this.#token = token;
    this.#conversation = conversation;
    this.#search.addEventListener("input", () => this.#list());
    this.#list_.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) this.pick(button.offered);
    });
    this.#form.addEventListener("submit", (event) => this.#submitted(event));
    this.#form.addEventListener("keydown", (event) => this.#pressed(event));
    dialog.querySelector("[data-offers-back]").addEventListener("click", () => this.#show("list"));
    dialog.addEventListener("close", () => {
      this.#running += 1;
      this.dispatchEvent(new Event("closed"));
    });
  }

  // Resolves to the rows; asks the server again after a while. Rejects without a connection.
  async rows() {
    if (performance.now() - this.#loadedAt < FRESH_MS) return this.#rows;
    const response = await fetch(this.#dialog.dataset.offersUrl);
    if (!response.ok || response.redirected) throw new TypeError("not loaded");
    this.#rows = rowsOf(await response.json());
    this.#loadedAt = performance.now();
    return this.#rows;
  }

  async open() {
    this.#say("");
    this.#show("list");
    this.#search.value = "";
    this.#open();
    try {
      await this.rows();
    } catch {
      this.#say(gettext("Prompts and resources could not be loaded. Try again."));
      return;
    }
    this.#list();
    this.#search.focus();
  }

  // Inserts this row, after its variables are asked for.
  pick(row) {
    if (hasFields(row)) this.#askFields(row);
    else this.#insert(row, {});
  }

  #open() {
    if (!this.#dialog.open) this.#dialog.showModal();
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
    if (part === "list") this.#list();
  }

  #say(sentence) {
    this.#dialog.querySelector("[data-offers-said]").textContent = sentence;
  }

  #list() {
    const rows = this.#rows.filter((row) => fits(row, this.#search.value));
    this.#list_.replaceChildren(...rows.map((row) => this.#item(row)));
    if (this.#loadedAt === -Infinity) return;
    const empty = this.#rows.length ? gettext("No matches.") : gettext("There are no prompts, skills or resources yet.");
    this.#say(rows.length ? "" : empty);
  }

  #item(row) {
    const item = this.#dialog.querySelector("template").content.firstElementChild.cloneNode(true);
    const button = item.querySelector("button");
    button.querySelector("[data-offer-name]").textContent = row.name;
    button.querySelector("[data-offer-server]").textContent = row.from;
    button.querySelector("[data-offer-about]").textContent = row.about;
    button.offered = row;
    return item;
  }

  #askFields(row) {
    this.#open();
    const fields = fieldsOf(this.#dialog.ownerDocument, row.one.arguments);
    this.#form.querySelector("[data-offers-fields]").replaceChildren(...fields);
    this.#form.querySelector("[data-offers-title]").textContent = row.name;
    this.#form.offered = row;
    this.#say("");
    this.#show("form");
    fields[0].querySelector("input, textarea").focus();
  }

  #submitted(event) {
    event.preventDefault();
    const row = this.#form.offered;
    this.#insert(row, valuesOf(this.#form, row.kind === "prompt"));
  }

  // Enter in a field of several lines breaks the line.
  #pressed(event) {
    if (event.key !== "Enter" || isComposing(event) || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    this.#form.requestSubmit();
  }

  async #insert(row, values) {
    const run = ++this.#running;
    try {
      const answer = await this.#answer(run, row, values);
      if (run !== this.#running) return; // closed, or another one was chosen
      this.dispatchEvent(new CustomEvent("taken", { detail: answer }));
      if (this.#dialog.open) this.#dialog.close();
      else this.dispatchEvent(new Event("closed"));
    } catch (error) {
      if (run !== this.#running) return;
      this.#open();
      this.#say(error.message);
    }
  }

  #answer(run, { kind, one }, values) {
    if (kind === "skill") return this.#skill(one);
    return kind === "template" ? this.#fill(one, values) : this.#ask(run, kind, one, values);
  }

  #skill({ name }) {
    const text = interpolate(gettext("Use the skill %(name)s: "), { name });
    return { text, attachments: [], notes: [] };
  }

  async #fill({ id }, values) {
    const url = this.#dialog.dataset.fillUrl.replace(BLANK_ID, id);
    const { text } = await this.#post(url, { values: JSON.stringify(values) });
    return { text, attachments: [], notes: [] };
  }

  async #ask(run, kind, one, values) {
    const { askUrl, takeUrl } = this.#dialog.dataset;
    this.#open();
    this.#say(interpolate(gettext("Asking %(server)s …"), { server: one.server }));
    const asked = await this.#post(askUrl, {
      server: one.server_id,
      kind,
      uri: one.uri ?? "",
      name: one.name,
      arguments: JSON.stringify(values),
      conversation: this.#conversation() ?? "",
    });
    const until = Date.now() + LONGEST_MS;
    while (run === this.#running && Date.now() < until) {
      const answer = await this.#post(takeUrl.replace(BLANK_ID, asked.id), {});
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
