// What waits for a person: calls to decide on, questions of servers. Their cards are the server's
// HTML; this sends what was chosen. A card is locked from the click until its event brings another
// HTML.

import { gettext } from "../../base/i18n.js";
import { toast } from "../../base/toast.js";

const OFFLINE = gettext("No connection. Try again in a moment.");
const FIELDS = "input, select, textarea, a[data-visit], button";
const WAITING = `[data-decision] [data-decide]:enabled, [data-question] :is(${FIELDS}):not(:disabled)`;
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
    const calls = button.closest(".calls");
    if (this.#document.activeElement === button) headOf(calls)?.focus({ preventScroll: true });
    const cards = [...calls.querySelectorAll("[data-decision]")];
    for (const card of cards.filter((one) => one.closest(".calls") === calls)) {
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
    if (send(card.closest("[data-call]").dataset.call)) this.#lock(card);
    else toast(this.#document, OFFLINE);
  }

  // A question of a server: a button of its own, or the form.
  answer(button) {
    const card = button.closest("[data-question]");
    this.#answer(card, button.dataset.answer, null);
  }

  send(form) {
    this.#answer(form.closest("[data-question]"), "accept", contentOf(form));
  }

  #answer(card, action, content) {
    say(card, "");
    for (const line of card.querySelectorAll("[data-field-error]")) line.textContent = "";
    if (this.#session.answer(card.dataset.question, action, content)) this.#lock(card);
    else toast(this.#document, OFFLINE);
  }

  // What is locked cannot keep the focus, and goes when the answer comes: its call stays.
  #lock(card) {
    if (card.contains(this.#document.activeElement)) {
      headOf(card.closest("[data-call]"))?.focus({ preventScroll: true });
    }
    lock(card, true);
  }

  // The server did not take it, and says why.
  refused({ call, question, error, fields }) {
    const place = question
      ? `[data-question="${CSS.escape(question)}"]`
      : `[data-call="${CSS.escape(call ?? "")}"] [data-decision]`;
    const card = this.#document.querySelector(place);
    if (!card) return;
    lock(card, false);
    say(card, error);
    sayFields(card, fields ?? {});
  }

  // The first thing that waits, from where it is, and round.
  goToFirst() {
    const first = this.#document.querySelector(WAITING);
    if (!first) return;
    first.scrollIntoView({ block: "center" });
    first.focus();
  }

  // A new connection: what was sent over the old one may be lost. A second decision does no harm.
  again() {
    for (const card of this.#document.querySelectorAll(".ask[data-sent]")) lock(card, false);
  }
}

// The line of the first call in `place`.
function headOf(place) {
  return place?.querySelector(".call > summary");
}

function lock(card, locked) {
  card.toggleAttribute("data-sent", locked);
  for (const control of card.querySelectorAll(LOCKED)) control.disabled = locked;
}

// The form's values by the names of its fields. What was left empty is left out.
function contentOf(form) {
  const content = {};
  for (const field of form.querySelectorAll("[data-field]")) {
    const value = valueOf(field);
    if (value !== undefined) content[field.dataset.field] = value;
  }
  return content;
}

function valueOf(field) {
  const { kind } = field.dataset;
  if (kind === "boolean") return field.querySelector("input").checked;
  if (kind === "many") return [...field.querySelectorAll("input:checked")].map(({ value }) => value);
  if (kind === "one") {
    const [option] = field.querySelector("select").selectedOptions;
    return option && !option.hasAttribute("data-none") ? option.value : undefined;
  }
  const input = field.querySelector("input");
  // A number that is none has an empty value: what was typed is gone, the server asks for a number.
  if (input.validity.badInput) return "";
  if (input.value === "") return undefined;
  return kind === "text" ? input.value : Number(input.value);
}

function sayFields(card, problems) {
  let first = null;
  for (const field of card.querySelectorAll("[data-field]")) {
    const problem = problems[field.dataset.field] ?? "";
    field.querySelector("[data-field-error]").textContent = problem;
    const control = field.querySelector("input, select");
    if (problem) control?.setAttribute("aria-invalid", "true");
    else control?.removeAttribute("aria-invalid");
    if (problem) first ??= control;
  }
  first?.focus();
}

function say(card, sentence) {
  card.querySelector("[data-ask-error]").textContent = sentence;
}
