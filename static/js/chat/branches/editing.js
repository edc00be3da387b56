// The editor in the place of a question: what is sent from it begins a branch.

import { isComposing } from "../../base/composing.js";
import { gettext, interpolate } from "../../base/i18n.js";
import { toast } from "../../base/toast.js";
import { attachmentsIn } from "../attachments/shown.js";
import { sendsOn } from "../thread/typing.js";

export class Editing {
  #parts;
  // What was typed and not sent, by the question's id.
  #typed = new Map();
  // Editors that are open, with the turn above each (null above the first).
  #open = new Map();

  constructor(parts) {
    this.#parts = parts;
    parts.session.addEventListener("branch", () => this.#keepOpen());
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
      const turn = button.closest("[data-turn]");
      const form = this.#form(message, text, attachmentsIn(turn));
      place.replaceChildren(form);
      this.#open.set(form, turnAbove(turn));
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
    this.#open.delete(form);
    form.remove();
    button?.focus();
  }

  // Another tab chose another version of a question that is edited here: its editor stays open, in
  // that version. What is edited on a branch that is not shown is kept for when it is shown again.
  #keepOpen() {
    const { page, document } = this.#parts;
    for (const [form, above] of this.#open) {
      if (form.isConnected) continue;
      const turns = [...page.querySelectorAll("[data-turn]")];
      const place = turns.find((turn) => turnAbove(turn) === above)?.querySelector("[data-edit-place]");
      if (!place || place.firstElementChild) {
        this.#open.delete(form);
        continue;
      }
      place.replaceChildren(form);
      if (document.activeElement === document.body) form.querySelector("textarea").focus();
    }
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
    if (event.key === "Escape" && !isComposing(event)) {
      event.preventDefault();
      this.close(form);
    } else if (event.target.matches("textarea") && sendsOn(event, this.#parts.composer.sendingKey)) {
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
    this.#open.delete(form);
    form.remove();
    session.send({ text, model: model?.value ?? null, attachments, alternative: { edit, cut } });
    follower.jump();
    if (hasKeyboard) composer.focus();
  }
}

// The id of the turn above; null for the first, undefined where turns between are not loaded.
function turnAbove(turn) {
  const above = turn.previousElementSibling;
  return above && above.dataset.turn;
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
