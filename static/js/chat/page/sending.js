// Sends messages: from the composer, from a starter, and once more what failed or was not sent.

import { gettext } from "../../base/i18n.js";
import { toast } from "../../base/toast.js";
import { chosenProject } from "../projects/projects.js";
import { attachmentsIn } from "../attachments/shown.js";

export class Sending {
  #parts;
  // The message that the next one replaces: it was taken back to be shortened.
  #shortened = null;
  // The branch that the next one begins: an edited message was taken back.
  #alternative = null;

  constructor(parts) {
    this.#parts = parts;
    parts.composer.addEventListener("send", ({ detail }) => {
      this.send(detail.text, detail.attachments, { again: this.#shortened, alternative: this.#alternative });
      this.#shortened = null;
      this.#alternative = null;
    });
  }

  // `again` is the id of the message that this one replaces, `alternative` the branch that it begins,
  // `compare` who answers it side by side.
  send(text, attachments = [], { again = null, alternative = null, compare = this.#compared(again, alternative) } = {}) {
    const { session, model, follower } = this.#parts;
    const begins = this.#begins;
    session.send({ text, model: model?.value ?? null, attachments, again, alternative, compare, begins });
    follower.jump();
  }

  // What is chosen for a conversation that begins.
  get #begins() {
    const { document, tools, skills, assistants, temporary } = this.#parts;
    return {
      tools: tools?.choice ?? null,
      skills: skills.now?.choice ?? null,
      preset: assistants.value,
      temporary: temporary.chosen,
      project: chosenProject(document),
    };
  }

  #compared(again, alternative) {
    return again || alternative ? null : this.#parts.comparing.take();
  }

  async sendAgain(button, message) {
    const { document, server, hasKeyboard, composer } = this.#parts;
    const attached = attachmentsIn(button.closest("[data-turn]"));
    try {
      this.send(await server.get("message", message), attached, { again: message });
      // The button is hidden by the turn that follows.
      if (hasKeyboard) composer.focus();
    } catch {
      toast(document, gettext("The message could not be loaded. Try again in a moment."));
    }
  }

  // Where there is nothing to summarise, a further attempt leaves out what it can.
  async summariseAgain(button) {
    const error = await this.#parts.context.summarise();
    if (error) toast(this.#parts.document, error);
    await this.sendAgain(button, button.dataset.summariseAgain);
  }

  // Takes a message that was too long back into the composer.
  async shorten(button) {
    const { document, server, composer, attachments } = this.#parts;
    const attached = attachmentsIn(button.closest("[data-turn]"));
    try {
      const message = button.dataset.shorten;
      composer.restore(await server.get("message", message));
      attachments.restore(attached);
      this.#shortened = message;
    } catch {
      toast(document, gettext("The message could not be loaded. Try again in a moment."));
    }
  }

  sendUnsentAgain(button) {
    const { text, attachments, alternative = null, compare = null } = this.#discardUnsent(button);
    this.send(text, attachments, { alternative, compare });
  }

  editUnsent(button) {
    const message = this.#discardUnsent(button);
    this.#alternative = message.alternative ?? null;
    if (message.compare) this.#parts.comparing.restore(message.compare);
    this.#parts.attachments.restore(message.attachments);
    this.#parts.composer.restore(message.text);
  }

  #discardUnsent(button) {
    return this.#parts.session.discard(button.closest("[data-key]").dataset.key) ?? { text: "" };
  }
}
