// The account part of a server's page: polls the state of a sign-in while one is under way.

import { fetchPartial, pollWhile, replaceContents } from "../base/partials.js";

const place = document.getElementById("account-place");

function section() {
  return place.querySelector("[data-account-url]");
}

async function poll() {
  const response = await fetchPartial(section().dataset.accountUrl);
  if (!response?.ok) return location.reload();
  replaceContents(place, await response.text());
  // What the server listed is on the page too.
  if (section().dataset.signingIn === "no") location.reload();
}

pollWhile(() => section()?.dataset.signingIn === "yes", poll, { everyMs: 700 });
