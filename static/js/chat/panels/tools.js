// The menu of servers and tools in the head of a conversation. Before the first message the choice
// is the page's own, and goes along with it. An event `web` says whether the web is on, at each
// change; null: there is none.

import { gettext, interpolate } from "../../base/i18n.js";
import { parseHTML } from "../../base/morph.js";
import { choiceOf, countOf, noteOf, webOf } from "./tools_choice.js";

const BLANK_ID = "00000000-0000-0000-0000-000000000000";

export class ToolsMenu extends EventTarget {
  choice = null;
  web; // the last event's, undefined before
  #menu;
  #panel;
  #model;
  #preset;
  #conversation;
  #saving = Promise.resolve();
  #switches = 0; // how often something was switched

  constructor(menu, { conversation, model, preset = () => "" }) {
    super();
    this.#menu = menu;
    this.#panel = menu.querySelector("[data-panel]");
    this.#conversation = conversation;
    this.#model = model;
    this.#preset = preset;
    this.#panel.addEventListener("change", (event) => this.#switched(event.target));
    this.#panel.addEventListener("click", (event) => {
      if (event.target.closest("[data-tools-reset]")) this.#save(null, true);
    });
    // What was switched on or off elsewhere, and servers that died meanwhile.
    menu.addEventListener("toggle", () => {
      if (menu.open) this.load();
    });
    this.load();
  }

  // A new conversation has got its id; its choice went along with the first message.
  begin(conversation) {
    this.#conversation = conversation;
    // It may have been changed while the message was on its way.
    if (this.choice !== null) this.#save(this.choice, false);
  }

  // The switch in the composer.
  switchWeb(isOn) {
    this.#switches += 1;
    if (!this.#conversation) {
      this.choice = { ...this.choice, web: isOn };
      return this.load();
    }
    const body = this.#body(null);
    body.set("web", isOn ? "on" : "off");
    this.#saving = this.#saving.then(() => this.#post(body));
    return this.load();
  }

  async load() {
    await this.#saving;
    await this.#ask(this.choice === null ? null : this.#body(this.choice));
  }

  #url() {
    const { url, conversationUrl } = this.#menu.dataset;
    if (this.#conversation) return conversationUrl.replace(BLANK_ID, this.#conversation);
    const query = new URLSearchParams({ model: this.#model()?.value ?? "", preset: this.#preset() });
    return `${url}?${query}`;
  }

  async #ask(body) {
    try {
      // Without a conversation a POST keeps nothing: it says what the menu is to show.
      const isPost = body !== null && !this.#conversation;
      const headers = { "X-Requested-With": "fetch" };
      const options = isPost ? { method: "POST", headers, body } : { headers };
      const switches = this.#switches;
      const response = await fetch(this.#url(), options);
      // What was switched meanwhile is newer than the answer.
      if (switches === this.#switches) await this.#show(response);
    } catch {
      this.#note(gettext("The tools could not be loaded."));
    }
  }

  async #show(response) {
    if (!response.ok || response.redirected) return;
    const text = await response.text();
    // Only now: somebody may have opened a server while the list was on its way.
    const open = [...this.#panel.querySelectorAll("details[open]")].map(({ id }) => id);
    const focused = this.#panel.contains(document.activeElement);
    this.#panel.replaceChildren(parseHTML(document, text));
    for (const part of this.#panel.querySelectorAll("details")) part.open = open.includes(part.id);
    for (const server of this.#panel.querySelectorAll("[data-server]")) this.#draw(server);
    if (focused) this.#menu.querySelector("summary").focus();
    this.#count();
  }

  #switched(control) {
    const server = control.closest("[data-server]");
    if (!server) return;
    if (control.matches("[data-server-switch]")) {
      // What has to be named is not switched on with the others.
      for (const tool of server.querySelectorAll("[data-tool-switch]")) {
        if (!control.checked || !tool.hasAttribute("data-opt-in")) tool.checked = control.checked;
      }
    }
    this.#draw(server);
    this.#count();
    this.#save(choiceOf(this.#rows()), false);
  }

  #rows() {
    return [...this.#panel.querySelectorAll("[data-server]")].map((server) => ({
      name: server.dataset.server,
      tools: [...server.querySelectorAll("[data-tool-switch]")].map((tool) => ({
        name: tool.value,
        on: tool.checked,
        optIn: tool.hasAttribute("data-opt-in"),
        tokens: Number(tool.dataset.tokens),
      })),
    }));
  }

  #draw(server) {
    const tools = [...server.querySelectorAll("[data-tool-switch]")];
    const on = tools.filter((tool) => tool.checked).length;
    const control = server.querySelector("[data-server-switch]");
    control.checked = on > 0;
    control.indeterminate = on > 0 && on < tools.length;
    if (tools.length === 0) return;
    server.querySelector("[data-server-count]").textContent = interpolate(gettext("%(number)s of %(count)s"), { number: on, count: tools.length });
  }

  #count() {
    const rows = this.#rows();
    this.#menu.querySelector("[data-count]").textContent = String(countOf(rows));
    const takesTools = !this.#panel.querySelector("[data-takes-no-tools]");
    this.web = takesTools ? webOf(rows) : null;
    this.dispatchEvent(new CustomEvent("web"));
    const note = this.#panel.querySelector("[data-tools-cost]");
    if (note) note.textContent = noteOf(rows, Number(note.dataset.most));
  }

  // One after the other, so that the last click is what is kept.
  #save(choice, reload) {
    this.#switches += 1;
    const reset = this.#panel.querySelector("[data-tools-reset]");
    if (reset) reset.hidden = choice === null;
    this.choice = this.#conversation ? null : choice;
    if (this.#conversation) this.#saving = this.#saving.then(() => this.#store(choice));
    if (reload) this.load();
  }

  #store(choice) {
    return this.#post(this.#body(choice));
  }

  async #post(body) {
    try {
      const headers = { "X-Requested-With": "fetch" };
      const response = await fetch(this.#url(), { method: "POST", headers, body });
      if (!response.ok || response.redirected) throw new TypeError("it was not saved");
    } catch {
      this.dispatchEvent(new CustomEvent("refused"));
    }
  }

  #body(choice) {
    const body = new FormData();
    body.set("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value);
    body.set("choice", choice === null ? "" : JSON.stringify(choice));
    return body;
  }

  #note(sentence) {
    const line = document.createElement("p");
    line.className = "tools-note";
    line.textContent = sentence;
    this.#panel.replaceChildren(line);
  }
}
