// Highlights the words of a search, without changing the thread's HTML.

import { occurrences } from "./occurrences.js";

// Highlights them within an element and opens what hides the main one of them: the first of the
// longest word, which is the rarest as a rule. Returns the element of the main one, null without
// any.
export function markWords(document, element, words) {
  CSS.highlights?.delete("found");
  const nodes = textNodes(document, element);
  const places = occurrences(nodes.map((node) => node.data), words);
  if (places.length === 0) return null;
  const ranges = places.map((place) => rangeOf(document, nodes, place));
  if (CSS.highlights) CSS.highlights.set("found", new Highlight(...ranges));
  const lengths = ranges.map((range) => String(range).length);
  const main = ranges[lengths.indexOf(Math.max(...lengths))].startContainer.parentElement;
  open(main, element);
  return main;
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
