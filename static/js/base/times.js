// <time datetime="…" data-relative>: relative text that stays true, the exact time on hover.

import { relativeTime } from "./format.js";
import { language } from "./i18n.js";

const EVERY_MS = 30_000;

export function watchTimes(document) {
  showTimes(document);
  setInterval(() => showTimes(document), EVERY_MS);
}

export function showTimes(root) {
  const now = Date.now();
  for (const element of root.querySelectorAll("time[data-relative]")) {
    const date = new Date(element.dateTime);
    element.textContent = relativeTime(now - date.getTime());
    element.title = date.toLocaleString(language);
  }
}
