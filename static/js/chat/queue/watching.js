// The foot of the thread and the rest of the page.

import { isComposing } from "../../base/composing.js";
import { gettext, interpolate, ngettext } from "../../base/i18n.js";
import { toast } from "../../base/toast.js";
import { attachmentsIn } from "../attachments/shown.js";

export function watchFoot({ document, form, foot, session, thread, composer, attachments, follower, announce, hasKeyboard }) {
  composer.refusals.push(() => foot.refusal);
  watchPutIn(document, session, form);
  session.addEventListener("lined", () => {
    const count = foot.queued.length;
    announce(interpolate(ngettext("Queued: %(count)s message waits.", "Queued: %(count)s messages wait.", count), { count }));
  });
  foot.addEventListener("shown", () => follower.grew());
  foot.addEventListener("lost", ({ detail }) => {
    composer.restore(detail);
    toast(document, gettext("The message was sent before you saved it. Your text is in the composer."));
  });
  foot.addEventListener("withdrawn", ({ detail }) => {
    if (detail.text === null || !composer.isEmpty) return;
    detail.isTaken = true;
    composer.restore(detail.text);
    if (detail.attachments) attachments.restore(attachmentsIn(detail.attachments));
    announce(gettext("Message withdrawn. Its text is in the composer."));
  });
  foot.addEventListener("deleted", ({ detail }) => {
    thread.removeFrom(detail);
    session.fetchThread();
    follower.grew();
    if (hasKeyboard) composer.focus();
  });
  foot.addEventListener("restored", () => session.fetchThread());
  foot.addEventListener("outdated", () => session.fetchFoot());
  foot.addEventListener("emptied", () => composer.focus());
}

// What is in the composer goes into the running turn: by its button, or Alt+Enter.
function watchPutIn(document, session, form) {
  const button = document.getElementById("put-in");
  const putIn = () => session.asNote(() => form.requestSubmit());
  button.addEventListener("click", putIn);
  form.elements.namedItem("message").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.altKey || isComposing(event) || !button.checkVisibility()) return;
    event.preventDefault();
    putIn();
  });
}
