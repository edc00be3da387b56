// Sources of files: the button, the clipboard, and drops anywhere on the page.

import { gettext } from "../../base/i18n.js";
import { isLongPaste, pastesFiles } from "./state.js";

// `takeText(text)` attaches a long paste, and returns whether it did.
export function watchFiles({ document, button, input, field, drop, take, takeText, refuse }) {
  button.addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    take([...input.files]);
    input.value = ""; // the same file may be chosen again
  });
  field.addEventListener("paste", (event) => {
    if (button.disabled) return;
    const files = [...event.clipboardData.files];
    const text = event.clipboardData.getData("text/plain");
    if (pastesFiles(text, files)) take(files);
    else if (!isLongPaste(text) || !takeText(text)) return;
    event.preventDefault();
  });
  watchDrops({ document, button, drop, take, refuse });
}

function watchDrops({ document, button, drop, take, refuse }) {
  const isMeant = (event) => !button.disabled && event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!isMeant(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    drop.hidden = false;
  });
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) drop.hidden = true;
  });
  document.addEventListener("drop", (event) => {
    drop.hidden = true;
    if (!isMeant(event)) return;
    event.preventDefault();
    const { files, folders } = dropped(event.dataTransfer);
    if (folders > 0) refuse(gettext("A folder cannot be attached. Drop the files in it."));
    take(files);
  });
}

function dropped({ items }) {
  const found = [...items].filter(({ kind }) => kind === "file");
  const isFolder = (item) => item.webkitGetAsEntry?.()?.isDirectory ?? false;
  const files = found.filter((item) => !isFolder(item)).map((item) => item.getAsFile());
  return { files: files.filter(Boolean), folders: found.filter(isFolder).length };
}
