// The documentation of the API: a search over its operations, and the one that the address names.

const search = document.querySelector("[data-api-search]");
const count = document.querySelector("[data-api-count]");
const operations = [...document.querySelectorAll("[data-words]")];
const groups = [...document.querySelectorAll("[data-api-group]")];

function show() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const one of operations) {
    one.hidden = !words.every((word) => one.dataset.words.includes(word));
    shown += one.hidden ? 0 : 1;
  }
  for (const group of groups) {
    group.hidden = !group.querySelector("[data-words]:not([hidden])");
  }
  count.textContent = words.length ? (shown ? `${shown} / ${operations.length}` : count.dataset.none) : "";
}

function open() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named instanceof HTMLDetailsElement) {
    named.open = true;
    named.scrollIntoView();
  }
}

search.addEventListener("input", show);
window.addEventListener("hashchange", open);
show();
open();
