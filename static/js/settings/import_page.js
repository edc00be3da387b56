// The page of an import: its state is fetched again until it is over.

import { fetchPartial, pollWhile, replaceContents } from "../base/partials.js";

const EVERY_MS = 500;
const place = document.getElementById("import-status");
const section = () => place.querySelector("[data-status-url]");

pollWhile(
  () => section()?.dataset.over === "no",
  async () => {
    const response = await fetchPartial(section().dataset.statusUrl);
    if (response?.ok) replaceContents(place, await response.text());
  },
  { everyMs: EVERY_MS, slowAfter: 120 },
);
