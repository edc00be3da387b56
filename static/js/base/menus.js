// <details data-menu>: closes on Escape, on a click elsewhere and when the focus leaves.

import { isComposing } from "./composing.js";

export function watchMenus(document) {
  document.addEventListener("click", (event) => closeExcept(document, event.target));
  document.addEventListener("focusin", (event) => closeExcept(document, event.target));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || isComposing(event)) return;
    const menu = openMenus(document).at(-1);
    if (!menu) return;
    event.preventDefault();
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}

function openMenus(document) {
  return [...document.querySelectorAll("details[data-menu][open]")];
}

function closeExcept(document, target) {
  for (const menu of openMenus(document)) {
    if (!menu.contains(target)) menu.open = false;
  }
}
