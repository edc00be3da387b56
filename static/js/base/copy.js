// Copies, and says so in a toast: <button data-copy="text">, <button data-copy-from="#id">,
// <button data-copy-url="…"> (what is there), <button data-copy-code> (the code it belongs to).

import { gettext } from "./i18n.js";
import { toast } from "./toast.js";

const BUTTONS = "[data-copy], [data-copy-from], [data-copy-url], [data-copy-code]";

export function watchCopyButtons(document) {
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.(BUTTONS);
    if (button) copy(document, textOf(document, button));
  });
}

// A string, or a promise of one.
function textOf(document, button) {
  const { copy: text, copyFrom, copyUrl } = button.dataset;
  if (text !== undefined) return text;
  if (copyUrl !== undefined) return fetchText(copyUrl);
  const source = copyFrom
    ? document.querySelector(copyFrom)
    : button.closest(".code").querySelector("code");
  return source?.textContent ?? "";
}

async function fetchText(url) {
  const response = await fetch(url);
  if (!response.ok || response.redirected) throw new TypeError("the text cannot be fetched");
  return response.text();
}

export async function copy(document, text) {
  try {
    await write(document, text);
    toast(document, gettext("Copied"));
  } catch {
    toast(document, gettext("Not copied. Check the connection and try again."));
  }
}

// A promise goes to the clipboard as one: Safari wants the write to begin within the click.
async function write(document, text) {
  if (typeof text !== "string" && navigator.clipboard?.write && globalThis.ClipboardItem) {
    const blob = text.then((found) => new Blob([found], { type: "text/plain" }));
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
  } else if (navigator.clipboard) {
    await navigator.clipboard.writeText(await text);
  } else {
    copyBySelection(document, await text); // plain http outside of localhost has no clipboard
  }
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
