// A server's page: asks for its state while a check runs; switches and policies of its tools.

import { morph, parseHTML } from "../base/morph.js";
import { showTimes } from "../base/times.js";
import { toast } from "../base/toast.js";
import { enableFilters } from "../providers/filtering.js";

const EVERY_MS = 500;
const SLOWER_AFTER = 20; // polls; a package runner may take a minute to download a server
const SLOWER_MS = 2000;

const status = document.getElementById("status");
let polls = 0;
let shown = "";

function isChecking() {
  return status.querySelector("[data-checking]")?.dataset.checking === "yes";
}

async function poll() {
  polls += 1;
  const response = await fetch(status.dataset.statusUrl, { headers: { Accept: "text/html" } });
  // Signed out, demoted or deleted meanwhile: the page itself says which.
  if (!response.ok || response.redirected) return location.reload();
  const html = await response.text();
  // What did not change is not read out again, and an opened part stays open.
  if (html === shown) return;
  shown = html;
  const fresh = status.cloneNode(false);
  fresh.append(parseHTML(document, html));
  morph(status, fresh);
  showTimes(status);
  enable();
}

async function watch() {
  while (isChecking()) {
    await new Promise((resolve) => setTimeout(resolve, polls < SLOWER_AFTER ? EVERY_MS : SLOWER_MS));
    try {
      await poll();
    } catch {
      polls = SLOWER_AFTER; // offline, or the server restarts: the banner says so
    }
  }
}

// Switches and policies

const enabled = new WeakSet();

function enable() {
  const list = document.getElementById("tool-rows");
  if (!list || enabled.has(list)) return;
  enabled.add(list);
  enableFilters(status);
  if (!list.dataset.changeUrl) return;
  list.addEventListener("change", (event) => changeOne(list, event.target));
  const bulk = document.querySelector("[data-bulk]");
  bulk?.addEventListener("submit", (event) => {
    event.preventDefault();
    changeShown(list, bulk, event.submitter);
  });
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
    toast(document, "Saved");
  } catch {
    toast(document, "This was not saved. Load the page again and repeat it.");
  }
}

enable();
watch();
