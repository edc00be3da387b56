// A server's page: polls its state while a check runs; its tools.

import { fetchPartial, pollWhile, replaceContents } from "../base/partials.js";
import { showTimes } from "../base/times.js";
import { enableFilters } from "../providers/filtering.js";
import { enableRows } from "./tool_rows.js";

const EVERY_MS = 500;
const SLOW_AFTER = 20; // polls; a package runner may take a minute to download a server

const status = document.getElementById("status");
let shown = "";

function isChecking() {
  return status.querySelector("[data-checking]")?.dataset.checking === "yes";
}

async function poll() {
  const response = await fetchPartial(status.dataset.statusUrl);
  if (!response?.ok) return location.reload();
  const html = await response.text();
  // What did not change is not read out again.
  if (html === shown) return;
  shown = html;
  replaceContents(status, html);
  showTimes(status);
  enable();
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
pollWhile(isChecking, poll, { everyMs: EVERY_MS, slowAfter: SLOW_AFTER });
