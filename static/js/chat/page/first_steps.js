// The first steps on the empty home: fetched when the page is there, again while one is running, and
// dismissed for this person by the button, or when they are over.

import { HEADERS, pollWhile, replaceContents } from "../../base/partials.js";

const EVERY_MS = 2000;

export async function showFirstSteps(document, place) {
  place.addEventListener("click", (event) => {
    const button = event.target.closest("[data-dismiss-steps]");
    if (button) dismiss(document, place, button.dataset.dismissSteps);
  });
  const find = (selector) => place.querySelector(selector);
  await load(place).catch(() => {});
  const isRunning = () => place.isConnected && find("[data-running]") !== null;
  await pollWhile(isRunning, () => load(place), { everyMs: EVERY_MS });
  if (place.isConnected && find("[data-over]")) dismiss(document, place, find("[data-dismiss-steps]").dataset.dismissSteps);
}

// Who is signed out is told when something is sent: what is written on the page stays.
async function load(place) {
  const response = await fetch(place.dataset.url, { headers: HEADERS });
  if (response.ok && !response.redirected) replaceContents(place, await response.text());
}

// Of the page at once; a server that cannot be reached shows them again another time.
function dismiss(document, place, url) {
  const hadFocus = place.contains(document.activeElement);
  place.remove();
  if (hadFocus) document.getElementById("message").focus();
  const body = new URLSearchParams({
    csrfmiddlewaretoken: document.querySelector("[name=csrfmiddlewaretoken]").value,
  });
  fetch(url, { method: "POST", body }).catch(() => {});
}
