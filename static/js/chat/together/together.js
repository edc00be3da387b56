// Who else has the conversation open, and who is writing: the line below the head. Tells the others
// that this person is writing.

import { gettext, interpolate } from "../../base/i18n.js";

const TELL_MS = 2_500;
const MAX_NAMES = 3;

export class Together {
  #line;
  #session;
  #isShared = false;
  #toldAt = -Infinity;

  constructor({ document, session, form, page }) {
    this.#line = document.getElementById("together");
    this.#session = session;
    this.isOwner = !("member" in page.dataset);
    form.elements.namedItem("message").addEventListener("input", () => this.#wrote());
  }

  // Of a `presence` frame.
  show({ shared, people }) {
    this.#isShared = shared;
    if (!this.#line) return;
    if (this.isOwner) this.#line.hidden = !shared;
    this.#write("[data-people]", hereText(people.map(({ name }) => name)));
    this.#write("[data-writing]", writingText(people.filter(({ writing }) => writing).map(({ name }) => name)));
  }

  #write(selector, text) {
    const place = this.#line.querySelector(selector);
    if (place.textContent !== text) place.textContent = text;
  }

  #wrote() {
    const now = performance.now();
    if (!this.#isShared || now - this.#toldAt < TELL_MS) return;
    this.#toldAt = now;
    this.#session.tellWriting();
  }
}

export function hereText(names) {
  if (names.length === 0) return "";
  return interpolate(gettext("here: %(names)s"), { names: listed(names) });
}

export function writingText(names) {
  if (names.length === 0) return "";
  if (names.length === 1) return interpolate(gettext("%(name)s is writing …"), { name: names[0] });
  return interpolate(gettext("%(names)s are writing …"), { names: listed(names) });
}

function listed(names) {
  const shown = names.slice(0, MAX_NAMES).join(", ");
  const more = names.length - MAX_NAMES;
  return more > 0 ? `${shown} +${more}` : shown;
}
