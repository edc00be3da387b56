// The conversations of a project in the sidebar, fetched when it is unfolded.

import { gettext } from "../../base/i18n.js";
import { morph, parseHTML } from "../../base/morph.js";
import { toast } from "../../base/toast.js";

export async function toggle(button) {
  const isOpen = button.getAttribute("aria-expanded") === "true";
  if (isOpen) {
    listOf(button).replaceChildren();
    button.setAttribute("aria-expanded", "false");
  } else if (!(await load(button))) {
    toast(button.ownerDocument, gettext("The conversations could not be loaded. Try again in a moment."));
  }
}

export async function open(document, project) {
  const button = document.querySelector(`[data-project-row="${project}"] [data-project-fold]`);
  if (button) await load(button);
}

export async function refresh(document) {
  await Promise.all([...document.querySelectorAll('[data-project-fold][aria-expanded="true"]')].map(load));
}

// Whether it was loaded; what is there stays otherwise.
async function load(button) {
  try {
    const answer = await fetch(addressOf(button), { headers: { "X-Requested-With": "fetch" } });
    if (!answer.ok || answer.redirected) return false;
    const list = listOf(button);
    const fresh = list.cloneNode(false);
    fresh.append(parseHTML(button.ownerDocument, await answer.text()));
    morph(list, fresh);
    button.setAttribute("aria-expanded", "true");
    return true;
  } catch {
    return false;
  }
}

function addressOf(button) {
  const url = new URL(button.dataset.projectFold, location.href);
  const { conversation } = button.ownerDocument.getElementById("chat").dataset;
  if (conversation) url.searchParams.set("current", conversation);
  return url;
}

function listOf(button) {
  return button.closest("[data-project-row]").querySelector("[data-project-conversations]");
}
