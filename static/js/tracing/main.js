// The trace page: stepping without a new page, and a running trace that fills in.

import { follow } from "./live.js";
import { linkOrigins } from "./origins.js";
import { get, parse, replace } from "./parts.js";
import { fillPrompt } from "./prompt.js";
import { partUrl, placeOf, stepOf, target } from "./steps.js";

const page = document.getElementById("trace");
let latest = 0;
let shown = location.search;

function round() {
  return document.getElementById("round");
}

function rounds() {
  return round().dataset.numbers.split(" ").map(Number);
}

function step(name) {
  const number = target(name, rounds(), Number(round().dataset.number));
  if (number !== null) go(placeOf(location.search, number));
}

function go(address) {
  history.pushState(null, "", address);
  show();
}

// Going back or forward, but not to another place within what is shown.
function travel() {
  if (location.search !== shown) show();
}

// Puts the round of the page's address into the page; the newest wish wins.
async function show() {
  if (!new URLSearchParams(location.search).has("round")) return location.reload();
  const wish = ++latest;
  shown = location.search;
  round().setAttribute("aria-busy", "true");
  const html = await get(partUrl(page.dataset.roundUrl, location.search));
  if (wish !== latest) return;
  if (html === null) return location.reload();
  replace(round(), parse(html).querySelector("#round"));
  mark();
  fillPrompt(page);
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView({ block: "nearest" });
}

// What stands outside of the round and depends on which one it is.
function mark() {
  const { number } = round().dataset;
  for (const link of page.querySelectorAll("[data-number][data-swap]")) {
    if (link.dataset.number === number) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  scrollToCurrent();
  document.getElementById("place").textContent = `Round ${number} of ${rounds().at(-1)}`;
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
  const button = event.target.closest("[data-step]");
  const link = event.target.closest("a[data-swap]");
  if (!round() || !(button || link)) return;
  event.preventDefault();
  if (button) step(button.dataset.step);
  else go(link.getAttribute("href"));
});

document.addEventListener("keydown", (event) => {
  if (!round() || event.defaultPrevented) return;
  const name = stepOf(event, placeOfFocus(event.target));
  if (name === null) return;
  event.preventDefault();
  step(name);
});

function placeOfFocus(element) {
  if (element.closest("input, textarea, select, [contenteditable]")) return "field";
  return element.closest(".code, .said, .message-text") ? "scroller" : null;
}

addEventListener("popstate", travel);
linkOrigins(page);
fillPrompt(page);
scrollToCurrent();
follow(page, { wish: () => latest, stay, filled: () => fillPrompt(page) });
