// A chip: an attachment, the progress of its upload, and its buttons.

import { gettext, interpolate } from "../../base/i18n.js";
import { setIcon } from "../../base/icons.js";
import { isImage, lineOf } from "./state.js";

export function makeChip(document, item, { remove, again, insert }) {
  const template = document.getElementById("chip-template");
  const chip = template.content.cloneNode(true).firstElementChild;
  chip.querySelector("[data-chip-remove]").addEventListener("click", () => remove(item.key));
  chip.querySelector("[data-chip-again]").addEventListener("click", () => again(item.key));
  chip.querySelector("[data-chip-insert]").addEventListener("click", () => insert(item.key));
  const thumbnail = chip.querySelector("img");
  thumbnail.addEventListener("error", () => {
    thumbnail.hidden = true;
  });
  return chip;
}

export function updateChip(document, chip, item, model, url) {
  const { text, bad } = lineOf(item, model);
  chip.toggleAttribute("data-bad", bad);
  chip.dataset.state = item.state;
  setText(chip.querySelector("[data-chip-name]"), item.name);
  setText(chip.querySelector("[data-chip-state]"), text);
  updateActions(chip, item);
  const progress = chip.querySelector("progress");
  progress.hidden = item.state !== "uploading";
  progress.value = item.progress;
  progress.setAttribute("aria-label", interpolate(gettext("Uploading %(name)s"), { name: item.name }));
  setIcon(document, chip.querySelector(".chip-picture svg"), isImage(item) ? "image" : "file");
  if (item.state === "ready" && isImage(item)) showThumbnail(chip.querySelector("img"), url);
}

function updateActions(chip, item) {
  const again = chip.querySelector("[data-chip-again]");
  again.hidden = !(item.state === "failed" && item.again);
  label(again, interpolate(gettext("Upload %(name)s again"), { name: item.name }));
  const insert = chip.querySelector("[data-chip-insert]");
  insert.hidden = !(item.state === "ready" && item.isPasted);
  insert.title = interpolate(gettext("Insert %(name)s as text"), { name: item.name });
  label(chip.querySelector("[data-chip-remove]"), interpolate(gettext("Remove %(name)s"), { name: item.name }));
}

function label(button, words) {
  button.setAttribute("aria-label", words);
  button.title = words;
}

function showThumbnail(image, url) {
  if (image.getAttribute("src") === url) return;
  image.src = url;
  image.hidden = false;
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
