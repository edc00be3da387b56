// The editor in the place of a question: what is sent from it begins a branch.

import { gettext, interpolate } from "../../base/i18n.js";
import { toast } from "../../base/toast.js";
import { attachmentsIn } from "../attachments/shown.js";
import { sendsOn } from "../thread/typing.js";

export class Editing {
  #parts;
  // What was typed and not sent, by the question's id.
  #typed = new Map();

  constructor(parts) {
    this.#parts = parts;
    parts.page.addEventListener("submit", (event) => {
      if (!event.target.matches("[data-edit]")) return;
      event.preventDefault();
      this.#send(event.target);
    });
    parts.page.addEventListener("keydown", (event) => this.#key(event));
    parts.page.addEventListener("input", ({ target }) => {
      const form = target.closest("[data-edit]");
      if (form) this.#typed.set(form.dataset.edit, target.value);
    });
  }

  async open(button) {
    const { document, server } = this.#parts;
    const message = button.dataset.editQuestion;
    const place = button.closest("[data-role=user]").querySelector("[data-edit-place]");
    if (place.firstElementChild) {
      place.querySelector("textarea").focus();
      return;
    }
    try {
      const text = this.#typed.get(message) ?? (await server.get("message", message));
      if (!place.isConnected || place.firstElementChild) return;
      place.replaceChildren(this.#form(message, text, attachmentsIn(button.closest("[data-turn]"))));
      const field = place.querySelector("textarea");
      field.focus();
      field.setSelectionRange(text.length, text.length);
      place.scrollIntoView({ block: "nearest" });
    } catch {
      toast(document, gettext("The message could not be loaded. Try again in a moment."));
    }
  }

  close(form) {
    const button = form.closest("[data-role=user]").querySelector("[data-edit-question]");
    this.#typed.delete(form.dataset.edit);
    form.remove();
    button?.focus();
  }

  #form(message, text, attachments) {
    const { document } = this.#parts;
    const template = document.getElementById("edit-template");
    const form = template.content.cloneNode(true).firstElementChild;
    form.dataset.edit = message;
    form.querySelector("textarea").value = text;
    const list = form.querySelector("[data-edit-attachments]");
    for (const attachment of attachments) list.append(chip(document, attachment));
    list.hidden = attachments.length === 0;
    return form;
  }

  #key(event) {
    const form = event.target.closest?.("[data-edit]");
    if (!form) return;
    if (event.key === "Escape" && !event.isComposing) {
      event.preventDefault();
      this.close(form);
    } else if (event.target.matches("textarea") && sendsOn(event)) {
      event.preventDefault();
      this.#send(form);
    }
  }

  #send(form) {
    const { model, session, follower, document, composer, hasKeyboard } = this.#parts;
    const text = form.querySelector("textarea").value;
    const attachments = [...form.querySelectorAll("[data-edit-attachment]")].map((item) => item.attachment);
    if (!/\S/.test(text) && attachments.length === 0) {
      toast(document, gettext("The message is empty. Write something, or press Esc to leave it as it was."));
      return;
    }
    const { edit } = form.dataset;
    const cut = form.closest("[data-turn]").dataset.turn;
    this.#typed.delete(edit);
    form.remove();
    session.send(text, model?.value ?? null, attachments, null, null, null, null, { edit, cut });
    follower.jump();
    if (hasKeyboard) composer.focus();
  }
}

function chip(document, attachment) {
  const template = document.getElementById("edit-attachment-template");
  const item = template.content.cloneNode(true).firstElementChild;
  item.attachment = attachment;
  item.querySelector("[data-edit-attachment-name]").textContent = attachment.name;
  const remove = item.querySelector("button");
  remove.setAttribute("aria-label", interpolate(gettext("Remove %(name)s"), { name: attachment.name }));
  remove.addEventListener("click", () => {
    const next = item.nextElementSibling ?? item.previousElementSibling;
    const focus = next?.querySelector("button") ?? item.closest("form").querySelector("textarea");
    item.remove();
    focus.focus();
  });
  return item;
}
