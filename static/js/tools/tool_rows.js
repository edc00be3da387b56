// Switches and policies in a list of tools: each change is saved at once.
//
// The list has `data-change-url`, each row `data-tool`; a row's controls are named `enabled` and
// `policy`.

import { gettext } from "../base/i18n.js";
import { toast } from "../base/toast.js";

export function enableRows(list) {
  if (!list.dataset.changeUrl) return;
  list.addEventListener("change", (event) => changeOne(list, event.target));
  // What was changed before this script was there.
  for (const control of list.querySelectorAll("[name=enabled], [name=policy]")) {
    if (isChanged(control)) changeOne(list, control);
  }
  const bulk = document.querySelector("[data-bulk]");
  bulk?.addEventListener("submit", (event) => {
    event.preventDefault();
    changeShown(list, bulk, event.submitter);
  });
}

function isChanged(control) {
  if (control.type === "checkbox") return control.checked !== control.defaultChecked;
  return !control.selectedOptions[0]?.defaultSelected;
}

function changeOne(list, control) {
  const row = control.closest("[data-tool]");
  if (!row) return;
  const value = control.type === "checkbox" ? (control.checked ? "on" : "off") : control.value;
  send(list, [row], control.name, value);
}

function changeShown(list, bulk, button) {
  const rows = [...list.querySelectorAll("[data-tool]")].filter((row) => !row.hidden);
  bulk.closest("details").open = false;
  for (const row of rows) {
    const control = row.querySelector(`[name=${button.name}]`);
    if (button.name === "enabled") control.checked = button.value === "on";
    else control.value = button.value;
  }
  send(list, rows, button.name, button.value);
}

async function send(list, rows, name, value) {
  const body = new FormData();
  body.set("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value);
  body.set(name, value);
  if (rows.length === list.querySelectorAll("[data-tool]").length) body.set("all", "1");
  else for (const row of rows) body.append("tool", row.dataset.tool);
  try {
    const headers = { "X-Requested-With": "fetch" };
    const response = await fetch(list.dataset.changeUrl, { method: "POST", headers, body });
    if (!response.ok || response.redirected) throw new TypeError("it was not saved");
    toast(document, gettext("Saved"));
  } catch {
    toast(document, gettext("Not saved. Reload the page and try again."));
  }
}
