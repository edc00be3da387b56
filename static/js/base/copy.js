// <button data-copy="text"> or <button data-copy-from="#id">: copies, and says so in a toast.

import { toast } from "./toast.js";

export function watchCopyButtons(document) {
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-copy], [data-copy-from]");
    if (button) copy(document, textOf(document, button));
  });
}

function textOf(document, button) {
  if (button.dataset.copy !== undefined) return button.dataset.copy;
  return document.querySelector(button.dataset.copyFrom)?.textContent ?? "";
}

export async function copy(document, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyBySelection(document, text); // plain http outside of localhost has no clipboard API
  }
  toast(document, "Copied");
}

function copyBySelection(document, text) {
  const area = document.createElement("textarea");
  const before = document.activeElement;
  area.value = text;
  area.className = "visually-hidden";
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  before?.focus({ preventScroll: true });
}
