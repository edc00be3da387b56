// A provider's page: asks for the endpoint's list, at once if it was never asked.

import { fetchPartial } from "../base/partials.js";
import { showTimes } from "../base/times.js";
import { addLabel } from "./filter.js";
import { enableFilters } from "./filtering.js";

const listing = document.getElementById("listing");

function copyOf(id) {
  return document.getElementById(id).content.cloneNode(true);
}

async function ask(form) {
  const body = new FormData(form);
  const before = [...listing.childNodes];
  listing.replaceChildren(copyOf("listing-loading"));
  try {
    const response = await fetchPartial(listing.dataset.listUrl, { method: "POST", body });
    // A provider that was deleted meanwhile: the page itself says so.
    if (!response?.ok) return location.reload();
    listing.innerHTML = await response.text();
  } catch {
    listing.replaceChildren(copyOf("listing-offline"), ...before);
    return;
  }
  enable();
  // Not from under a reader who went on to something else, a menu say.
  if (document.activeElement !== document.body) return;
  listing.querySelector("input[type=search], button")?.focus({ preventScroll: true });
}

function count(form) {
  const ticked = form.querySelectorAll("input[name=name]:checked:not(:disabled)").length;
  form.querySelector("[data-count]").textContent = addLabel(ticked);
  form.querySelector("[data-count]").disabled = ticked === 0;
}

function enable() {
  showTimes(listing);
  enableFilters(listing);
  const asking = listing.querySelector("[data-ask]");
  asking?.addEventListener("submit", (event) => {
    event.preventDefault();
    listing.querySelector("[data-offline]")?.remove();
    ask(asking);
  });
  const adding = listing.querySelector("[data-add]");
  if (!adding) return;
  adding.addEventListener("change", () => count(adding));
  count(adding);
}

if (listing) {
  enable();
  if (listing.querySelector("[data-asked=no]")) ask(listing.querySelector("[data-ask]"));
}
