// The page of settings: who switches notifications on is asked by the browser at once.

import { gettext } from "../base/i18n.js";
import { toast } from "../base/toast.js";

document.addEventListener("change", async ({ target }) => {
  if (!target.matches("[data-notifications]") || !target.checked) return;
  if (!("Notification" in window)) {
    refuse(target, gettext("This browser has no notifications."));
  } else if ((await Notification.requestPermission()) !== "granted") {
    refuse(target, gettext("The browser does not allow notifications. Allow them in its settings for this site."));
  }
});

// The mark in the tab's title is there all the same.
function refuse(box, sentence) {
  box.checked = false;
  toast(document, sentence);
}
