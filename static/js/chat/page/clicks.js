// The buttons and forms of the thread: one listener for all, also for those that come later.

import { gettext } from "../../base/i18n.js";
import { toast } from "../../base/toast.js";

export function watchClicks({ document, page, asking, socket, branches, editing, feedback }, sending) {
  const actions = {
    "[data-starter]": (button) => sending.send(button.textContent),
    "[data-send-again]": (button) => sending.sendAgain(button, button.dataset.sendAgain),
    "[data-summarise-again]": (button) => sending.summariseAgain(button),
    "[data-shorten]": (button) => sending.shorten(button),
    "[data-unsent-again]": (button) => sending.sendUnsentAgain(button),
    "[data-unsent-edit]": (button) => sending.editUnsent(button),
    "[data-branch]": (button) => branches.go(button),
    "[data-regenerate]": (button) => branches.regenerate(button),
    "[data-continue]": (button) => branches.continue(button),
    "[data-edit-question]": (button) => editing.use((it) => it.open(button)),
    "[data-edit-cancel]": (button) => editing.use((it) => it.close(button.closest("[data-edit]"))),
    "[data-answer]": (button) => asking.use((it) => it.answer(button)),
    "[data-stop-turn]": (button) => stopSubagent(document, socket, button),
    "[data-decide]": (button) => asking.use((it) => it.decide(button)),
    "[data-decide-all]": (button) => asking.use((it) => it.decideAll(button)),
    "[data-rate]": (button) => feedback.use((it) => it.rate(button)),
  };
  page.addEventListener("click", (event) => {
    for (const [selector, act] of Object.entries(actions)) {
      const button = event.target.closest(selector);
      if (button) act(button);
    }
  });
  const forms = {
    "[data-question-form]": (form) => asking.use((it) => it.send(form)),
    "[data-feedback-note]": (form) => feedback.use((it) => it.note(form)),
  };
  page.addEventListener("submit", (event) => {
    for (const [selector, send] of Object.entries(forms)) {
      if (!event.target.matches(selector)) continue;
      event.preventDefault();
      send(event.target);
    }
  });
  // Disabled until somebody listens: a press before would be lost.
  for (const starter of page.querySelectorAll("[data-starter]")) starter.disabled = false;
}

function stopSubagent(document, socket, button) {
  button.disabled = socket.send({ type: "stop", turn: button.dataset.stopTurn });
  if (!button.disabled) toast(document, gettext("No connection. Try again in a moment."));
}
