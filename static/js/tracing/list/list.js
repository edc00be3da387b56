// The list of traces: keys, choosing rows, filters that apply themselves, running times.

import { gettext, interpolate } from "../../base/i18n.js";
import { duration } from "../../base/format.js";
import { keyOf, moved } from "./keys.js";

const page = document.getElementById("traces");
const filters = page.querySelector("[data-filters]");
const form = page.querySelector("[data-choosing]");
const links = [...page.querySelectorAll("[data-row] th a")];

function act(name) {
  if (name === "search") return focusSearch();
  if (name === "help") return document.getElementById("list-shortcuts").togglePopover();
  const row = document.activeElement.closest("[data-row]");
  if (name === "choose") return row?.querySelector("[name=trace]").click();
  const at = links.indexOf(row?.querySelector("th a"));
  links[moved(name, at, links.length)]?.focus();
}

function focusSearch() {
  const field = document.getElementById("list-q");
  field.focus();
  field.select();
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented) return;
  const isField = event.target.closest("input:not([type=checkbox]), textarea, select");
  const name = keyOf(event, Boolean(isField));
  if (name === null) return;
  event.preventDefault();
  act(name);
});

filters.addEventListener("change", (event) => {
  if (!event.target.matches("[data-submits]")) return;
  page.setAttribute("aria-busy", "true");
  filters.requestSubmit();
});

// An address without what is empty.
filters.addEventListener("formdata", (event) => {
  for (const [name, value] of [...event.formData]) {
    if (value === "") event.formData.delete(name);
  }
});
filters.addEventListener("submit", () => page.setAttribute("aria-busy", "true"));
// A page that comes back from the browser's memory waits for nothing.
addEventListener("pageshow", () => page.removeAttribute("aria-busy"));

function boxes() {
  return [...form.querySelectorAll("[name=trace]")];
}

function showChosen() {
  const count = boxes().filter((box) => box.checked).length;
  const all = form.querySelector("[name=all]")?.checked;
  form.querySelector("[data-chosen]").textContent = all ? gettext("All that fit") : count ? interpolate(gettext("%(count)s chosen"), { count }) : "";
  for (const button of form.querySelectorAll(".list-acts button")) button.disabled = !(all || count);
  const every = form.querySelector("[data-choose-all]");
  every.checked = count > 0 && count === boxes().length;
  every.indeterminate = count > 0 && count < boxes().length;
}

if (form) {
  form.querySelector("[data-choose-all]").hidden = false;
  form.addEventListener("change", (event) => {
    if (event.target.matches("[data-choose-all]")) {
      for (const box of boxes()) box.checked = event.target.checked;
    }
    showChosen();
  });
  addEventListener("pageshow", showChosen);
  showChosen();
}

const began = performance.now();
const running = [...page.querySelectorAll("[data-running-ms]")];
if (running.length) {
  setInterval(() => {
    // Without a connection nobody knows whether anything still goes on.
    if (navigator.onLine === false) return;
    const passed = performance.now() - began;
    for (const cell of running) cell.textContent = duration(Number(cell.dataset.runningMs) + passed);
  }, 1000);
}
