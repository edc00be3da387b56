// Fetches the page of turns before those that are shown.

import { toast } from "../../base/toast.js";

// Returns a function that takes the button and resolves to whether the turns are shown.
export function earlierTurns({ document, server, thread, follower }) {
  return async (button = document.querySelector("[data-earlier]")) => {
    if (!button) return false;
    button.disabled = true;
    const scroller = document.getElementById("scroll");
    const before = scroller.scrollHeight - scroller.scrollTop;
    try {
      thread.showEarlier(await server.getUrl(button.dataset.earlier));
      scroller.scrollTop = scroller.scrollHeight - before;
      follower.grew(false);
      return true;
    } catch {
      button.disabled = false;
      toast(document, "Earlier turns could not be loaded. Try again in a moment.");
      return false;
    }
  };
}
