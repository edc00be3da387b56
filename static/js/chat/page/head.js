// The head of a conversation: its title, renaming and deletion within the page.

import { isComposing } from "../../base/composing.js";
import { gettext } from "../../base/i18n.js";
import { toast } from "../../base/toast.js";
import { setTitle } from "./notifications.js";

export class Head {
  #document;
  #server;
  #title;
  #rename;
  #delete;
  #menu;

  constructor(document, server) {
    this.#document = document;
    this.#server = server;
    this.#title = document.getElementById("title");
    this.#rename = document.getElementById("rename");
    this.#delete = document.getElementById("delete");
    this.#menu = document.getElementById("conversation-menu");
    document.addEventListener("click", (event) => this.#click(event.target));
    this.#rename.addEventListener("submit", (event) => this.#save(event));
    for (const form of [this.#rename, this.#delete]) {
      form.addEventListener("keydown", (event) => {
        if (event.key !== "Escape" || isComposing(event)) return;
        event.stopPropagation();
        this.#showForm(form, false);
      });
    }
  }

  // A new conversation has got its id.
  begin(conversation) {
    this.#rename.action = this.#server.url("rename", conversation);
    this.#delete.action = this.#server.url("delete", conversation);
    this.#menu.hidden = false;
  }

  // The conversation was deleted.
  end() {
    this.#menu.hidden = true;
    this.#rename.hidden = true;
    this.#delete.hidden = true;
    this.#title.classList.remove("visually-hidden");
  }

  show(title) {
    this.#title.textContent = title;
    setTitle(this.#document, `${title} · Roundtrip`);
  }

  // The name that is shown, "" for none.
  get assistant() {
    return this.#assistantName.textContent.replace(/^: /, "");
  }

  showAssistant(name) {
    this.#assistantName.textContent = name ? `: ${name}` : "";
  }

  get #assistantName() {
    return this.#menu.querySelector("[data-assistant-name]");
  }

  #click(target) {
    if (target.closest("[data-rename-open]")) this.#showForm(this.#rename, true);
    if (target.closest("[data-rename-cancel]")) this.#showForm(this.#rename, false);
    if (target.closest("[data-delete-open]")) this.#showForm(this.#delete, true);
    if (target.closest("[data-delete-cancel]")) this.#showForm(this.#delete, false);
  }

  #showForm(form, shown) {
    this.#menu.open = false;
    form.hidden = !shown;
    // The page keeps its heading for who does not see it.
    if (form === this.#rename) this.#title.classList.toggle("visually-hidden", shown);
    if (!shown) {
      this.#menu.querySelector("summary").focus();
    } else if (form === this.#rename) {
      form.elements.namedItem("title").value = this.#title.textContent;
      form.elements.namedItem("title").select();
    } else {
      form.querySelector("[data-delete-cancel]").focus();
    }
  }

  async #save(event) {
    event.preventDefault();
    const title = this.#rename.elements.namedItem("title").value.trim();
    this.#showForm(this.#rename, false);
    const before = this.#title.textContent;
    this.show(title);
    try {
      await this.#server.post(this.#rename);
      this.#document.dispatchEvent(new Event("renamed"));
    } catch {
      this.show(before);
      toast(this.#document, gettext("This was not saved. Try again in a moment."));
    }
  }
}
