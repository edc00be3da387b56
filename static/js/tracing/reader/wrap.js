// Whether long lines of payloads are wrapped: one choice for all of them, kept on this device.

import { safeStorage } from "../../base/storage.js";

const KEY = "trace-nowrap";
const storage = safeStorage(() => localStorage);

export function watchWrap(document) {
  show(document, storage.getItem(KEY) === "1");
  document.addEventListener("click", ({ target }) => {
    if (!target.closest?.("[data-wrap]")) return;
    const isOff = !document.documentElement.hasAttribute("data-nowrap");
    if (isOff) storage.setItem(KEY, "1");
    else storage.removeItem(KEY);
    show(document, isOff);
  });
}

// The state is one of the whole page, so that what is put into it later has it too. Buttons that
// come later say what they know from the page when they are focused or pointed at.
function show(document, isOff) {
  document.documentElement.toggleAttribute("data-nowrap", isOff);
  for (const button of document.querySelectorAll("[data-wrap]")) mark(button, isOff);
  document.dispatchEvent(new CustomEvent("wrap"));
}

export function mark(button, isOff = document.documentElement.hasAttribute("data-nowrap")) {
  button.setAttribute("aria-pressed", String(!isOff));
}

document.addEventListener("focusin", ({ target }) => {
  if (target.matches?.("[data-wrap]")) mark(target);
});
