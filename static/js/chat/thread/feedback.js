// The thumbs at an answer's foot: a press rates it, another press takes that back, a note says why.
// What is rated in one tab is shown in the others.

import { gettext } from "../../base/i18n.js";
import { HEADERS } from "../../base/partials.js";
import { parseHTML } from "../../base/morph.js";
import { toast } from "../../base/toast.js";

// The addresses of the answers that this tab is rating: the reply shows them.
const rating = new Set();

export function rate(document, button) {
  const place = button.closest("[data-feedback]");
  const chosen = place.dataset.rating === button.dataset.rate ? "" : button.dataset.rate;
  keep(document, place, { rating: chosen }, `[data-rate=${button.dataset.rate}]`);
}

export function note(document, form) {
  const place = form.closest("[data-feedback]");
  const values = { rating: place.dataset.rating, note: form.elements.note.value };
  keep(document, place, values, ".feedback-note > summary");
}

async function keep(document, place, values, focused) {
  const body = new URLSearchParams(values);
  const address = place.dataset.feedback;
  rating.add(address);
  body.set("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value);
  try {
    const response = await fetch(address, { method: "POST", headers: HEADERS, body });
    if (response.status === 409) toast(document, (await response.json()).error);
    else if (!response.ok || response.redirected) toast(document, gettext("Your feedback was not kept. Try again."));
    else show(document, place, await response.text(), focused);
  } catch {
    toast(document, gettext("The server cannot be reached. Try again in a moment."));
  } finally {
    rating.delete(address);
  }
}

// Rated elsewhere. A note that is being written here stays.
export async function follow(document, server, { turn }) {
  const place = placeOf(document, turn);
  if (!place || rating.has(place.dataset.feedback) || isWriting(place)) return;
  try {
    const html = await server.get("turn", turn);
    const fresh = parseHTML(document, html).querySelector("[data-feedback]");
    if (fresh) placeOf(document, turn)?.replaceWith(fresh);
  } catch {
    // Offline, or signed out: the page says so, and a reload shows it.
  }
}

function placeOf(document, turn) {
  return document.querySelector(`[data-feedback$="/turns/${turn}/feedback"]`);
}

function isWriting(place) {
  return place.querySelector("form")?.contains(place.ownerDocument.activeElement);
}

// The field of a note that was just asked for gets the focus, else what had it before.
function show(document, place, html, focused) {
  const fresh = parseHTML(document, html).querySelector("[data-feedback]");
  place.replaceWith(fresh);
  (fresh.querySelector("details[open] input") ?? fresh.querySelector(focused))?.focus();
}
