// Keyboard shortcuts of the page. Escape stops an answer only when it is pressed twice, because it
// closes other things too.

import { gettext } from "../../base/i18n.js";
import { toast } from "../../base/toast.js";
import { goToWaiting } from "../calls/questions.js";
import { runningTurn } from "../connection/state.js";
import { shortcutOf } from "../thread/typing.js";

const TWICE_MS = 1_500;
const FIELDS = "input, textarea, select, [contenteditable]";

export function watchShortcuts(document, { sidebar, composer, session, find, foot }) {
  let escapedAt = -Infinity;

  const actions = {
    search: () => sidebar.search(),
    all: () => document.querySelector(".all-conversations").click(),
    find: () => find.open(),
    new: () => document.getElementById("new-conversation").click(),
    message: () => composer.focus(),
    shortcuts: () => document.getElementById("shortcuts").togglePopover(),
    waiting: () => goToWaiting(document),
    edit: () => press(document, "[data-edit-question]"),
    regenerate: () => press(document, "[data-regenerate-menu] > summary"),
    before: () => press(document, '[data-branch-step="-1"]:enabled'),
    after: () => press(document, '[data-branch-step="1"]:enabled'),
    queue: () => foot.goTo() || toast(document, gettext("No message is queued.")),
    stop: () => escape(),
  };

  function escape() {
    const now = performance.now();
    const isSecond = now - escapedAt < TWICE_MS;
    escapedAt = isSecond ? -Infinity : now;
    if (isSecond) session.stop();
    else toast(document, gettext("Press Esc again to stop the answer"));
  }

  function canStop() {
    const isElsewhere = document.querySelector("details[data-menu][open], :popover-open, :modal");
    return !isElsewhere && !sidebar.isOpen && runningTurn(session.state) !== null;
  }

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented) return;
    const shortcut = shortcutOf(event, event.target.closest?.(FIELDS) !== null);
    if (shortcut === null || (shortcut === "stop" && !canStop())) return;
    if (shortcut === "find" && !find.takesKeys) return;
    event.preventDefault();
    actions[shortcut]();
  });

  if (/Mac|iPhone|iPad/.test(navigator.platform)) showMacKeys(document);
}

// The last one of the thread.
function press(document, selector) {
  const buttons = document.querySelectorAll(`#thread ${selector}`);
  const last = buttons[buttons.length - 1];
  last?.focus();
  last?.click();
}

function showMacKeys(document) {
  for (const key of document.querySelectorAll("[data-shortcut-modifier]")) key.textContent = "⌘";
  for (const key of document.querySelectorAll("[data-shortcut-key]")) {
    key.textContent = `⌘${key.dataset.shortcutKey}`;
  }
}
