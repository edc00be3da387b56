// Going to another branch, and asking for another answer or for the rest of one.

import { gettext, interpolate } from "../../base/i18n.js";
import { randomKey } from "../../base/keys.js";
import { parseHTML } from "../../base/morph.js";
import { toast } from "../../base/toast.js";
import { problemOf } from "../connection/server.js";

const OFFLINE = gettext("No connection. Try again in a moment.");

export class Branches {
  #parts;
  // The button that was pressed: the one in its place gets the focus when the branch is shown.
  #pressed = null;

  constructor(parts) {
    this.#parts = parts;
  }

  async go(button) {
    const { document, session, server } = this.#parts;
    const { branch: turn, branchStep: step } = button.dataset;
    this.#pressed = { turn, step, isQuestion: button.closest(".question-actions") !== null };
    try {
      await server.change(server.url("branch", session.state.conversation), { turn });
    } catch (error) {
      this.#pressed = null;
      toast(document, problemOf(error));
    }
  }

  regenerate(button) {
    const { regenerate, model, preset } = button.dataset;
    this.#pressed = { turn: null, step: null, isQuestion: false };
    this.#ask(button, { regenerate, ...(model && { model }), ...(preset && { preset }) });
    button.closest("details").open = false;
  }

  continue(button) {
    this.#ask(button, { continue: button.dataset.continue });
    this.#parts.follower.jump();
  }

  // A button that is pressed twice asks once: both times with the same key.
  #ask(button, fields) {
    button.dataset.key ??= randomKey();
    if (this.#parts.session.ask(button.dataset.key, fields)) return;
    this.#pressed = null;
    toast(this.#parts.document, OFFLINE);
  }

  refused({ error }) {
    this.#pressed = null;
    toast(this.#parts.document, error);
  }

  // The menu of ways to ask again has been opened.
  async fillMenu(menu) {
    const { document, server } = this.#parts;
    const panel = menu.querySelector("[data-regenerate-panel]");
    try {
      const html = await server.get("regenerate", menu.dataset.regenerateMenu);
      panel.replaceChildren(parseHTML(document, html));
    } catch (error) {
      menu.open = false;
      toast(document, problemOf(error));
    }
  }

  shown({ turn }) {
    const { document, announce, hasKeyboard, composer } = this.#parts;
    const pressed = this.#pressed;
    this.#pressed = null;
    const number = numberOf(document.getElementById(`turn-${turn}`), pressed?.isQuestion);
    const [place, count] = number?.textContent.match(/\d+/g) ?? [];
    if (number) announce(interpolate(gettext("Version %(place)s of %(count)s is shown."), { place, count }));
    if (!pressed) return;
    const choice = number?.closest(".branch-choice");
    const again = pressed.step && choice?.querySelector(`[data-branch-step="${pressed.step}"]:enabled`);
    const next = again || choice?.querySelector("button:enabled");
    if (pressed.step && next) next.focus({ preventScroll: true });
    else if (hasKeyboard) composer.focus();
  }
}

function numberOf(turn, isQuestion) {
  const place = isQuestion ? ".question-actions" : ".answer-foot";
  return turn?.querySelector(`${place} .branch-number`) ?? turn?.querySelector(".branch-number") ?? null;
}
