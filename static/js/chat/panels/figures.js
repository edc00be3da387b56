// What the conversation has taken so far, in the menu of the context: fetched when that opens.

import { replaceContents } from "../../base/partials.js";

export function watchFigures(document, server, page) {
  const menu = document.getElementById("context");
  const place = menu?.querySelector("[data-conversation-figures]");
  menu?.addEventListener("toggle", async () => {
    const { conversation } = page.dataset;
    if (!menu.open || !conversation) return;
    try {
      replaceContents(place, await server.get("figures", conversation));
    } catch {
      // Without a connection the figures of before stay.
    }
  });
}
