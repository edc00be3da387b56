// The account part of a server's page: asks how far a sign-in is while one is under way.

import { morph, parseHTML } from "../base/morph.js";

const EVERY_MS = 700;

const place = document.getElementById("account-place");

function section() {
  return place.querySelector("[data-account-url]");
}

async function poll() {
  const response = await fetch(section().dataset.accountUrl, { headers: { Accept: "text/html" } });
  // Signed out or no longer allowed: the page itself says which.
  if (!response.ok || response.redirected) return location.reload();
  const fresh = place.cloneNode(false);
  fresh.append(parseHTML(document, await response.text()));
  morph(place, fresh);
  // What the server listed is on the page too.
  if (section().dataset.signingIn === "no") location.reload();
}

async function watch() {
  while (section()?.dataset.signingIn === "yes") {
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    try {
      await poll();
    } catch {
      // The network is away; the next one may get through.
    }
  }
}

watch();
