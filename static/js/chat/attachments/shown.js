// Attachments of messages in the thread: of unsent messages, and previews of texts.

import { gettext } from "../../base/i18n.js";
import { size } from "../../base/format.js";
import { parseHTML } from "../../base/morph.js";
import { isImage } from "./state.js";

export function showAttachments(document, list, references, server) {
  list.replaceChildren(...references.map((one) => element(document, one, server)));
  list.hidden = references.length === 0;
}

// The attachments of a message in the thread.
export function attachmentsIn(turn) {
  return [...turn.querySelectorAll("[data-attachment]")].map(({ dataset }) => ({
    id: dataset.attachment,
    name: dataset.name,
    mediaType: dataset.mediaType,
    size: Number(dataset.size),
  }));
}

function element(document, one, server) {
  const kind = isImage(one) ? "image" : "text";
  const template = document.getElementById(`attachment-${kind}-template`);
  const item = template.content.querySelector("li").cloneNode(true);
  Object.assign(item.dataset, {
    attachment: one.id,
    name: one.name,
    mediaType: one.mediaType,
    size: String(one.size),
  });
  const url = server.url("attachment", one.id);
  if (kind === "image") {
    item.querySelector("a").href = url;
    Object.assign(item.querySelector("img"), { src: url, alt: one.name });
  } else {
    const details = item.querySelector("details");
    details.id = `attachment-${one.id}`;
    details.dataset.previewUrl = server.url("attachmentPreview", one.id);
    item.querySelector("[data-attachment-name]").textContent = one.name;
    item.querySelector("[data-attachment-size]").textContent = size(one.size);
  }
  return item;
}

// A text's beginning is fetched when it is opened for the first time.
export function watchPreviews(document, page, server) {
  page.addEventListener("toggle", (event) => open(document, event.target, server), true);
}

async function open(document, details, server) {
  const url = details.dataset.previewUrl;
  const preview = details.querySelector("[data-preview]");
  if (!url || !details.open || preview.dataset.shown) return;
  preview.dataset.shown = "true";
  try {
    preview.replaceChildren(parseHTML(document, await server.getUrl(url)));
  } catch {
    delete preview.dataset.shown;
    preview.textContent = gettext("This file could not be loaded. Close it and open it again.");
  }
}
