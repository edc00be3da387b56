// What waits for a person: calls to decide on. Their cards are the server's HTML; this sends what
// was chosen. A card is locked from the click until its event brings another HTML.

import { toast } from "../base/toast.js";

const OFFLINE = "There is no connection now. Try again in a moment.";
const LOCKED = "button, input, textarea, select";

export class Asking {
  #document;
  #session;

  constructor(document, session) {
    this.#document = document;
    this.#session = session;
  }

  decide(button) {
    const card = button.closest("[data-decision]");
    this.#send(card, (call) => this.#decision(call, card, button.dataset.decide));
  }

  // The first buttons of all cards of a round.
  decideAll(button) {
    const cards = button.closest(".calls").querySelectorAll("[data-decision]");
    for (const card of cards) {
      this.#send(card, (call) => this.#session.decide(call, "approve", { scope: "once" }));
    }
  }

  #decision(call, card, chosen) {
    if (chosen === "deny") {
      const reason = card.querySelector("[data-reason]").value.trim();
      return this.#session.decide(call, "deny", { reason });
    }
    const scope = chosen === "conversation" ? "conversation" : "once";
    const edited = chosen === "edited";
    const more = edited ? { arguments: card.querySelector("[data-arguments]").value } : {};
    return this.#session.decide(call, "approve", { scope, ...more });
  }

  #send(card, send) {
    say(card, "");
    if (send(card.closest("[data-call]").dataset.call)) lock(card, true);
    else toast(this.#document, OFFLINE);
  }

  // The server did not take it, and says why.
  refused({ call, error }) {
    const card = this.#document.querySelector(`[data-call="${CSS.escape(call ?? "")}"] [data-decision]`);
    if (!card) return;
    lock(card, false);
    say(card, error);
  }

  // A new connection: what was sent over the old one may be lost. A second decision does no harm.
  again() {
    for (const card of this.#document.querySelectorAll("[data-decision]")) lock(card, false);
  }
}

// The first thing that waits, from where it is, and round.
export function goToWaiting(document) {
  const first = document.querySelector("[data-decision] [data-decide]:not(:disabled)");
  if (!first) return;
  first.scrollIntoView({ block: "center" });
  first.focus();
}

function lock(card, locked) {
  card.toggleAttribute("data-sent", locked);
  for (const control of card.querySelectorAll(LOCKED)) control.disabled = locked;
}

function say(card, sentence) {
  card.querySelector("[data-ask-error]").textContent = sentence;
}
