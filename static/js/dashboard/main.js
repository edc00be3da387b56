// The dashboard: fetched anew every few seconds while it is looked at; charts that can be read with
// the pointer and with the arrow keys.

import { gettext, interpolate } from "../base/i18n.js";
import { replaceContents } from "../base/partials.js";
import { showTimes } from "../base/times.js";
import { watchCharts } from "./charts.js";

const EVERY_MS = 5000;
const root = document.getElementById("dashboard");
let latest = Date.now();

async function refresh() {
  if (!document.hidden && !(await fetchBody())) showStale();
  setTimeout(refresh, EVERY_MS);
}

// False: what is shown is out of date.
async function fetchBody() {
  const place = new URL(location.href);
  place.searchParams.set("part", "1");
  try {
    const response = await fetch(place, { signal: AbortSignal.timeout(EVERY_MS * 2) });
    if (response.redirected || response.status === 404) return location.reload();
    if (!response.ok) return false;
    show(await response.text());
    return true;
  } catch {
    return false;
  }
}

function show(html) {
  replaceContents(root, html);
  latest = Date.now();
  showTimes(root);
  showStatus(gettext("Times are UTC. Refreshed every 5 seconds."));
}

function showStale() {
  const minutes = Math.floor((Date.now() - latest) / 60_000);
  const age = minutes ? interpolate(gettext("%(minutes)s min ago"), { minutes }) : gettext("a moment ago");
  showStatus(interpolate(gettext("The server does not answer. These figures are from %(age)s."), { age }));
}

function showStatus(text) {
  const line = root.querySelector("[data-refreshed]");
  if (line.textContent !== text) line.textContent = text;
}

watchCharts(root);
setTimeout(refresh, EVERY_MS);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && Date.now() - latest > EVERY_MS) fetchBody();
});
