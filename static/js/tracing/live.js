// A running trace: a cheap look once a second, the page anew only when something has changed, and
// what has been going on counted on meanwhile.

import { duration } from "../base/format.js";
import { showTimes } from "../base/times.js";
import { growLedger } from "./ledger.js";
import { get, parse, replace } from "./reader/parts.js";
import { keepPlace, placeOf } from "./reader/tail.js";

const EVERY_MS = 1000;
const HURRY_MS = 100;
// When an element with a running duration was first seen here, and its milliseconds then.
const begun = new WeakMap();

// `place` tells and moves where the page is: `wish()` changes with each step, `stay(numbers)` keeps
// a page that followed the last round there, `filled()` follows each change. Answers a function that
// has the page look soon, because something is known to have happened.
export function follow(page, place) {
  let timer = null;
  let isLooking = false;
  let again = false;

  const wait = (ms) => {
    clearTimeout(timer);
    timer = setTimeout(look, ms);
  };

  async function look() {
    if (page.dataset.running === undefined) return;
    [isLooking, again] = [true, false];
    const version = await get(page.dataset.versionUrl);
    if (version !== null && version !== page.dataset.version) await refresh(page, place);
    isLooking = false;
    // Without an answer nobody knows whether anything still goes on.
    if (version !== null) tick(page);
    if (page.dataset.running !== undefined) wait(again ? HURRY_MS : EVERY_MS);
  }

  if (page.dataset.running === undefined) return () => {};
  tick(page);
  wait(EVERY_MS);
  return () => {
    if (isLooking) again = true;
    else wait(HURRY_MS);
  };
}

// Everything that came out differently is put in place of what it was.
async function refresh(page, place) {
  const wish = place.wish();
  const html = await get(location.href);
  if (wish !== place.wish() || html === null) return;
  const fresh = parse(html).getElementById("trace");
  const isOver = fresh.dataset.running === undefined;
  const numbers = fresh.querySelector("#round")?.dataset.numbers;
  if (isOver && numbers && place.stay(numbers.split(" "))) return refresh(page, place);
  if (!page.querySelector("#round") && numbers) return location.reload();
  for (const part of page.querySelectorAll(":scope [data-part]")) swap(part, fresh);
  page.dataset.version = fresh.dataset.version;
  if (isOver) delete page.dataset.running;
  showTimes(page);
  place.filled();
}

function swap(part, fresh) {
  const name = part.dataset.part;
  const next = fresh.querySelector(`[data-part="${name}"]`);
  if (!next || next.isEqualNode(part) || part.querySelector("[data-dragging]")) return;
  if (name !== "banners") keepOpen(part, next);
  const place = name === "rounds" ? placeOf(part) : null;
  replace(part, next);
  if (place) keepPlace(next, place);
}

function keepOpen(part, next) {
  const before = [...part.querySelectorAll("details")];
  next.querySelectorAll("details").forEach((details, place) => {
    details.open ||= before[place]?.open ?? false;
  });
}

function tick(page) {
  const now = performance.now();
  for (const element of page.querySelectorAll("[data-running-ms]")) {
    if (!begun.has(element)) begun.set(element, now - Number(element.dataset.runningMs));
    element.textContent = duration(now - begun.get(element));
  }
  for (const ledger of page.querySelectorAll(".ledger:has([data-grows])")) {
    if (!begun.has(ledger)) begun.set(ledger, now);
    growLedger(ledger, now - begun.get(ledger));
  }
}
