// Which branch of its conversation the turn is on: fetched, because the conversation knows it.

import { fetchPartial, replaceContents } from "../base/partials.js";

export async function showBranch(document) {
  const place = document.getElementById("trace-branch");
  if (!place?.dataset.branchUrl) return;
  try {
    const response = await fetchPartial(place.dataset.branchUrl);
    if (response?.ok) replaceContents(place, await response.text());
  } catch {
    // The page is whole without it.
  }
}
