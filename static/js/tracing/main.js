// The trace page: stepping without a new page, playing, and a running trace that fills in.

import { gettext, interpolate } from "../base/i18n.js";
import { safeStorage } from "../base/storage.js";
import { watchActs } from "./acts.js";
import { showBranch } from "./branch.js";
import { putBranches } from "./branches.js";
import { Controls } from "./controls.js";
import { measureHead } from "./heads.js";
import { deedOf } from "./keys.js";
import { follow } from "./live.js";
import { linkOrigins } from "./origins.js";
import { watchFolds } from "./reader/narrow.js";
import { get, parse, replace } from "./reader/parts.js";
import { keepStep, partUrl, placeOf, readPlace } from "./place.js";
import { Player } from "./player/player.js";
import { fillPrompt } from "./prompt.js";
import { target } from "./rounds.js";
import { moveRow } from "./rows.js";
import { Scrubber } from "./scrubber.js";
import { Speaking } from "./player/speaking.js";

const page = document.getElementById("trace");
let latest = 0;
let shown = location.search;
// The address of the part that is in the page, and the one that is on its way.
let inPage = null;
let fetching = null;

function round() {
  return document.getElementById("round");
}

function rounds() {
  return round().dataset.numbers.split(" ").map(Number);
}

const player = new Player(document, {
  timelineUrl: page.dataset.timelineUrl,
  page: {
    get round() {
      return Number(round().dataset.number);
    },
    get rounds() {
      return rounds();
    },
    go,
    note(address) {
      history.replaceState(null, "", address);
      shown = location.search;
    },
  },
});
const scrubber = new Scrubber(document, player, {
  get round() {
    return Number(round().dataset.number);
  },
  step,
});
const controls = new Controls(document, player, safeStorage(() => localStorage));

function step(name) {
  player.pause();
  const number = target(name, rounds(), Number(round().dataset.number));
  if (number !== null) go(placeOf(location.search, number));
  else player.leave();
}

// `address` is a query, perhaps with a fragment.
function go(address, { replace: inPlace = false } = {}) {
  if (inPlace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  return show();
}

// Going back or forward, but not to another place within what is shown.
function travel() {
  if (location.search === shown) return;
  player.pause();
  show();
}

// Puts what the page's address says into the page; the newest wish wins.
async function show() {
  if (readPlace(location.search).round === null) return location.reload();
  const wish = ++latest;
  const part = here();
  shown = location.search;
  if (part !== inPage) {
    round().setAttribute("aria-busy", "true");
    const html = await fetchPart(part);
    if (wish !== latest) return;
    if (html === null) return location.reload();
    const fetched = parse(html);
    const tree = putBranches(page, fetched) || (await fetchTree());
    if (wish !== latest) return;
    if (!tree) return location.reload();
    replace(round(), fetched.querySelector("#round"));
    inPage = part;
    mark();
    drawFolds();
    fillPrompt(page);
    scrubber.draw();
    speaking?.draw();
  }
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView({ block: "nearest" });
  await player.arrived();
}

// The tree of a long trace has the rounds around the shown one alone: those around another one.
async function fetchTree() {
  const html = await get(location.href);
  const tree = html && parse(html).querySelector(".rounds");
  if (tree) replace(page.querySelector(".rounds"), tree);
  return Boolean(tree);
}

// The address of the part that the page's address asks for.
function here() {
  const { search } = location;
  const full = readPlace(search).round === null ? placeOf(search, round().dataset.number) : search;
  return partUrl(page.dataset.roundUrl, full);
}

// Steps within a round that is still on its way wait for the same answer.
function fetchPart(part) {
  if (fetching?.part !== part) {
    const html = get(part).finally(() => {
      if (fetching?.html === html) fetching = null;
    });
    fetching = { part, html };
  }
  return fetching.html;
}

// What stands outside of the round and depends on which one it is.
function mark() {
  const { number } = round().dataset;
  for (const link of page.querySelectorAll("[data-number][data-swap]")) {
    if (link.dataset.number === number) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  scrollToCurrent();
  document.getElementById("place").textContent = interpolate(gettext("Round %(number)s of %(last)s"), { number, last: rounds().at(-1) });
  for (const button of document.querySelectorAll("[data-step]")) {
    const next = target(button.dataset.step, rounds(), Number(number));
    button.value = next ?? number;
    if (next === null) button.setAttribute("aria-disabled", "true");
    else button.removeAttribute("aria-disabled");
  }
}

// Only the list scrolls, not the page.
function scrollToCurrent() {
  const current = page.querySelector(".rounds [aria-current]");
  const list = current?.closest(".rounds");
  if (!list) return;
  const { top, bottom } = current.getBoundingClientRect();
  const bounds = list.getBoundingClientRect();
  if (top < bounds.top || bottom > Math.min(bounds.bottom, innerHeight)) {
    list.scrollTop += top - bounds.top - list.clientHeight / 3;
  }
}

// A page that followed the last round stays there when the turn is over.
function stay(numbers) {
  if (new URLSearchParams(location.search).has("round")) return false;
  shown = placeOf(location.search, numbers.at(-1));
  history.replaceState(null, "", shown);
  return true;
}

page.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const button = event.target.closest("[data-step], [data-deed]");
  const link = event.target.closest("a[data-swap]");
  if (!round() || !(button || link)) return;
  event.preventDefault();
  if (link) open(link);
  else if (button.dataset.deed) deeds[button.dataset.deed]();
  else step(button.dataset.step);
});

function open(link) {
  player.pause();
  go(keepStep(location.search, link.getAttribute("href")));
}

const deeds = {
  back: () => player.step(-1),
  forward: () => player.step(1),
  play: () => player.toggle(),
  first: () => step("first"),
  previous: () => step("previous"),
  next: () => step("next"),
  last: () => step("last"),
  "row-down": () => moveRow(page, 1),
  "row-up": () => moveRow(page, -1),
  slower: () => controls.change(-1),
  faster: () => controls.change(1),
  shortcuts: () => document.getElementById("shortcuts")?.togglePopover(),
  rest: () => player.leave(),
};

document.addEventListener("keydown", (event) => {
  if (!round() || event.defaultPrevented) return;
  const deed = deedOf(event, placeOfFocus(event.target));
  if (deed === null || (deed === "rest" && isElsewhere())) return;
  if (deed !== "rest") event.preventDefault();
  deeds[deed]();
});

function placeOfFocus(element) {
  if (element.id === "scrubber") return null;
  if (element.closest("input, textarea, select, [contenteditable]")) return "field";
  if (element.closest("button, summary, audio, video")) return "control";
  return element.closest(".code, .response-text, .message-text") ? "scroller" : null;
}

// Escape closes what is open first.
function isElsewhere() {
  return document.querySelector("details[data-menu][open], :popover-open, dialog[open]") !== null;
}

let speaking = null;

function filled() {
  if (round()) inPage = here();
  fillPrompt(page);
  drawFolds();
  watchHead();
  controls.draw();
  scrubber.draw();
  player.changed();
  if (page.dataset.running !== undefined) return speaking?.draw();
  speaking?.end();
  speaking = null;
}

const drawFolds = watchFolds(document);
const watchHead = measureHead(document);
watchHead();
addEventListener("popstate", travel);
linkOrigins(page);
watchActs(document);
fillPrompt(page);
showBranch(document);
scrollToCurrent();
controls.draw();
if (round()) scrubber.draw();
if (round()) inPage = here();
if (round()) player.arrived().finally(() => delete page.dataset.step);
const hurry = follow(page, { wish: () => latest, stay, filled });
if (page.dataset.running !== undefined) speaking = new Speaking(document, page, hurry);
