// The page on which a conversation is shared: the preview follows the choices.

import { fetchPartial, replaceContents } from "../base/partials.js";
import { gettext } from "../base/i18n.js";
import { toast } from "../base/toast.js";

const form = document.getElementById("share-form");
const preview = document.querySelector("[data-share-preview]");
// A preview, and a sentence on why there is none.
const SHOWN = new Set([200, 409]);
let latest = 0;

if (form && preview) {
  document.querySelector("[data-share]").classList.add("share-scripted");
  document.addEventListener("change", ({ target }) => {
    if (target.form === form) update();
  });
}

// Shows what the latest choices give; answers that were overtaken are not shown.
async function update() {
  latest += 1;
  const number = latest;
  preview.setAttribute("aria-busy", "true");
  try {
    const response = await fetchPartial(form.action, { method: "POST", body: new FormData(form) });
    if (!response) return;
    if (!SHOWN.has(response.status)) throw new TypeError("no preview");
    const html = await response.text();
    if (number === latest) replaceContents(preview, html);
  } catch {
    if (number === latest) toast(document, gettext("The preview could not be loaded. Check the connection, then try again."));
  } finally {
    if (number === latest) preview.removeAttribute("aria-busy");
  }
}
