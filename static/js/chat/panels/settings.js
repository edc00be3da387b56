// The dialog of a conversation's settings: another assistant, instructions,
// parameters and limits of its own. The server's forms
// are shown in it; a refused form comes back with the values that were entered.

import { gettext } from "../../base/i18n.js";
import { parseHTML } from "../../base/morph.js";

const BLANK_ID = "00000000-0000-0000-0000-000000000000";
const HEADINGS = {
  assistant: gettext("Assistant"),
  own: gettext("Instructions and parameters"),
  limits: gettext("Limits"),
  groups: gettext("Share with a group"),
};
const HEADERS = { "X-Requested-With": "fetch" };

export class Settings extends EventTarget {
  #document;
  #dialog;
  #conversation;

  // `conversation()` is its id. Dispatches `saved` with { sentence, assistant }: the name, or null if it was not in the form.
  constructor(document, dialog, conversation) {
    super();
    this.#document = document;
    this.#dialog = dialog;
    this.#conversation = conversation;
    dialog.addEventListener("submit", (event) => {
      if (!event.target.matches("[data-settings-form]")) return;
      event.preventDefault();
      this.#send(event.target);
    });
  }

  // Chooses an assistant without the dialog. Resolves to a sentence if that was refused, else to "".
  async chooseAssistant(id) {
    const url = this.#dialog.dataset.assistantUrl.replace(BLANK_ID, this.#conversation());
    const body = new FormData();
    body.set("csrfmiddlewaretoken", this.#document.querySelector("[name=csrfmiddlewaretoken]").value);
    body.set("assistant", id);
    try {
      const response = await fetch(url, { method: "POST", headers: HEADERS, body });
      if (response.redirected || ![200, 422].includes(response.status)) throw new TypeError("refused");
      const answer = parseHTML(this.#document, await response.text());
      const form = answer.querySelector("form");
      if (!form?.dataset.saved) return answer.querySelector("[role=alert]").textContent.trim();
      this.#saved(form.dataset);
      return "";
    } catch {
      return gettext("This was not saved. Try again in a moment.");
    }
  }

  async open(button) {
    const part = button.dataset.settingsOpen;
    // The menu gets the focus back when the dialog closes.
    const menu = button.closest("[data-menu]");
    menu.open = false;
    menu.querySelector("summary").focus();
    this.#dialog.querySelector("h2").textContent = HEADINGS[part];
    this.#say(gettext("Loading …"));
    this.#dialog.showModal();
    const url = this.#dialog.dataset[`${part}Url`].replace(BLANK_ID, this.#conversation());
    try {
      await this.#show(await fetch(url, { headers: HEADERS }));
    } catch {
      this.#say(gettext("This could not be loaded. Close it and try again."));
    }
  }

  async #send(form) {
    const button = form.querySelector("[type=submit]");
    button.disabled = true;
    try {
      const options = { method: "POST", headers: HEADERS, body: new FormData(form) };
      await this.#show(await fetch(form.action, options));
    } catch {
      this.#refuse(form, gettext("This was not saved. Try again in a moment."));
    } finally {
      button.disabled = false;
    }
  }

  async #show(response) {
    if (response.redirected || ![200, 422].includes(response.status)) throw new TypeError("refused");
    this.#body.replaceChildren(parseHTML(this.#document, await response.text()));
    const form = this.#body.querySelector("form");
    const said = this.#body.querySelector("[data-panel-focus]");
    if (form?.dataset.saved) this.#saved(form.dataset);
    else if (said) said.focus();
    else this.#goTo(form?.querySelector(".errorlist")?.closest(".field"));
  }

  // Focuses a refused field, else the first one.
  #goTo(field) {
    this.#dialog.scrollTop = 0;
    field?.scrollIntoView({ block: "center" });
  }

  #saved({ saved, assistant }) {
    this.#dialog.close();
    const detail = { sentence: saved, assistant: assistant ?? null };
    this.dispatchEvent(new CustomEvent("saved", { detail }));
  }

  #refuse(form, sentence) {
    form.querySelector("[data-refused]")?.remove();
    const line = this.#line(sentence);
    line.dataset.refused = "";
    line.className = "errorlist";
    form.prepend(line);
  }

  #say(sentence) {
    this.#body.replaceChildren(this.#line(sentence));
  }

  #line(sentence) {
    const line = this.#document.createElement("p");
    line.setAttribute("role", "status");
    line.textContent = sentence;
    return line;
  }

  get #body() {
    return this.#dialog.querySelector("[data-settings-body]");
  }
}
