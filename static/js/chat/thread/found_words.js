// Highlights the words of a search, without changing the thread's HTML.

import { occurrences } from "./occurrences.js";

// Highlights them within an element and opens what hides the first of them. Returns the element of
// the first, null without one.
export function markWords(document, element, words) {
  CSS.highlights?.delete("found");
  const nodes = textNodes(document, element);
  const places = occurrences(nodes.map((node) => node.data), words);
  if (places.length === 0) return null;
  const ranges = places.map((place) => rangeOf(document, nodes, place));
  if (CSS.highlights) CSS.highlights.set("found", new Highlight(...ranges));
  const first = nodes[places[0].start[0]].parentElement;
  open(first, element);
  return first;
}

function textNodes(document, element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) {
    if (!walker.currentNode.parentElement.closest(".fold-preview, .visually-hidden")) {
      nodes.push(walker.currentNode);
    }
  }
  return nodes;
}

function rangeOf(document, nodes, { start, end }) {
  const range = document.createRange();
  range.setStart(nodes[start[0]], start[1]);
  range.setEnd(nodes[end[0]], end[1]);
  return range;
}

function open(from, top) {
  for (let place = from; place && place !== top.parentElement; place = place.parentElement) {
    if (place.localName === "details") place.open = true;
  }
}
