// A server's page: asks for its state while a check runs; its tools.

import { morph, parseHTML } from "../base/morph.js";
import { showTimes } from "../base/times.js";
import { enableFilters } from "../providers/filtering.js";
import { enableRows } from "./tool_rows.js";

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

const enabled = new WeakSet();

function enable() {
  const list = document.getElementById("tool-rows");
  if (!list || enabled.has(list)) return;
  enabled.add(list);
  enableFilters(status);
  enableRows(list);
}

enable();
watch();
