// The thumbs at an answer's foot: a press rates it, another press takes that back, a note says why.

import { gettext } from "../../base/i18n.js";
import { HEADERS } from "../../base/partials.js";
import { parseHTML } from "../../base/morph.js";
import { toast } from "../../base/toast.js";

export function watchFeedback(document, page) {
  page.addEventListener("click", (event) => {
    const button = event.target.closest("[data-rate]");
    if (!button) return;
    const place = button.closest("[data-feedback]");
    const rating = place.dataset.rating === button.dataset.rate ? "" : button.dataset.rate;
    rate(document, place, { rating }, `[data-rate=${button.dataset.rate}]`);
  });
  page.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-feedback-note]")) return;
    event.preventDefault();
    const place = event.target.closest("[data-feedback]");
    const note = event.target.elements.note.value;
    rate(document, place, { rating: place.dataset.rating, note }, ".feedback-note > summary");
  });
}

async function rate(document, place, values, focused) {
  const body = new URLSearchParams(values);
  body.set("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value);
  try {
    const response = await fetch(place.dataset.feedback, { method: "POST", headers: HEADERS, body });
    if (response.status === 409) toast(document, (await response.json()).error);
    else if (!response.ok || response.redirected) toast(document, gettext("Your feedback was not kept. Try again."));
    else show(document, place, await response.text(), focused);
  } catch {
    toast(document, gettext("The server cannot be reached. Try again in a moment."));
  }
}

// The field of a note that was just asked for gets the focus, else what had it before.
function show(document, place, html, focused) {
  const fresh = parseHTML(document, html).querySelector("[data-feedback]");
  place.replaceWith(fresh);
  (fresh.querySelector("details[open] input") ?? fresh.querySelector(focused))?.focus();
}
