// The choice of a conversation's skills, in the menu of tools. Before the first message the page
// keeps the choice and sends it with the message.

import { gettext, interpolate } from "../../base/i18n.js";
import { parseHTML } from "../../base/morph.js";

const BLANK_ID = "00000000-0000-0000-0000-000000000000";

export class SkillsChoice extends EventTarget {
  choice = null;
  #place;
  #conversation;
  #model;
  #preset;
  #saving = Promise.resolve();

  constructor(place, { conversation, model, preset = () => "" }) {
    super();
    this.#place = place;
    this.#conversation = conversation;
    this.#model = model;
    this.#preset = preset;
    place.addEventListener("change", (event) => this.#switched(event.target));
    place.addEventListener("click", (event) => {
      if (event.target.closest("[data-skills-reset]")) this.#keep(null);
    });
  }

  // A new conversation has got its id; its choice went along with the first message.
  begin(conversation) {
    this.#conversation = conversation;
    // It may have changed since the message was sent.
    if (this.choice !== null) this.#keep(this.choice);
  }

  async load() {
    await this.#saving;
    try {
      const response = await fetch(this.#url(), { headers: { "X-Requested-With": "fetch" } });
      if (response.ok && !response.redirected) this.#show(await response.text());
    } catch {
      // The list stays; the menu of tools tells that the server is away.
    }
  }

  #url() {
    const { url, conversationUrl } = this.#place.dataset;
    if (this.#conversation) return conversationUrl.replace(BLANK_ID, this.#conversation);
    return `${url}?${new URLSearchParams({ model: this.#model()?.value ?? "", preset: this.#preset() })}`;
  }

  #show(html) {
    const open = this.#place.querySelector("details")?.open ?? false;
    const focused = this.#place.contains(document.activeElement);
    this.#place.replaceChildren(parseHTML(document, html));
    const list = this.#place.querySelector("details");
    if (list) list.open = open;
    if (this.choice !== null) this.#mark((name) => this.choice.includes(name));
    if (focused) this.#place.querySelector("summary")?.focus();
    this.#draw();
  }

  #switched(control) {
    if (control.matches("[data-skills-switch]")) this.#mark(() => control.checked);
    this.#draw();
    this.#keep(this.#switches().filter(({ checked }) => checked).map(({ value }) => value));
  }

  #switches() {
    return [...this.#place.querySelectorAll("[data-skill-switch]")];
  }

  #mark(isOn) {
    for (const control of this.#switches()) control.checked = isOn(control.value);
  }

  #draw() {
    const all = this.#switches();
    if (all.length === 0) return;
    const on = all.filter(({ checked }) => checked).length;
    const control = this.#place.querySelector("[data-skills-switch]");
    control.checked = on > 0;
    control.indeterminate = on > 0 && on < all.length;
    this.#place.querySelector("[data-skills-count]").textContent = interpolate(gettext("%(number)s of %(count)s"), { number: on, count: all.length });
    if (this.choice !== null) this.#place.querySelector("[data-skills-reset]").hidden = false;
  }

  // One request at a time, so that the last click counts.
  #keep(choice) {
    this.choice = this.#conversation ? null : choice;
    const reset = this.#place.querySelector("[data-skills-reset]");
    if (reset) reset.hidden = choice === null;
    if (this.#conversation) this.#saving = this.#saving.then(() => this.#store(choice));
    if (choice === null) this.load();
  }

  async #store(choice) {
    try {
      const body = new FormData();
      body.set("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value);
      body.set("choice", choice === null ? "" : JSON.stringify(choice));
      const headers = { "X-Requested-With": "fetch" };
      const response = await fetch(this.#url(), { method: "POST", headers, body });
      if (!response.ok || response.redirected) throw new TypeError("it was not saved");
    } catch {
      this.dispatchEvent(new CustomEvent("refused"));
    }
  }
}
