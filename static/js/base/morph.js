// Changes an element into freshly fetched HTML and keeps the reader's state: opened details, focus,
// scroll positions. Equal nodes are not touched.
//
// Children are matched by id, else by tag in order. Children of elements with data-keep, and of
// elements that fill themselves (`<code-tools>`), belong to the page's scripts and are not changed; so
// do attributes that begin with data-reader.

import { loadProse } from "./prose/prose.js";

export function morph(element, fresh) {
  if (element.isEqualNode(fresh)) return;
  syncAttributes(element, fresh);
  if (!isKept(element)) syncChildren(element, fresh);
}

function isKept(element) {
  return element.hasAttribute("data-keep") || element.localName.includes("-");
}

export function parseHTML(document, html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  loadProse(template.content);
  return document.importNode(template.content, true);
}

function syncAttributes(element, fresh) {
  for (const { name } of [...element.attributes]) {
    if (!fresh.hasAttribute(name) && !isReaders(element, name)) element.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (element.getAttribute(name) !== value && !isReaders(element, name)) {
      element.setAttribute(name, value);
    }
  }
}

function isReaders(element, name) {
  return name.startsWith("data-reader") || (name === "open" && element.localName === "details");
}

// What is not wanted goes first, so that nothing else has to move: a moved node loses the focus.
function syncChildren(element, fresh) {
  const wanted = [...fresh.childNodes];
  const matches = matched([...element.childNodes], wanted);
  const kept = new Set(matches);
  for (const node of [...element.childNodes]) if (!kept.has(node)) node.remove();
  let place = element.firstChild;
  for (const [index, node] of wanted.entries()) {
    const match = matches[index];
    if (match && match === place) place = place.nextSibling;
    else element.insertBefore(match ?? node, place);
    if (match) update(match, node);
  }
}

// For each wanted node the old one that becomes it, or undefined.
function matched(old, wanted) {
  const byId = new Map(old.filter((node) => node.id).map((node) => [node.id, node]));
  const unnamed = old.filter((node) => !node.id);
  return wanted.map((node) => {
    const match = node.id ? byId.get(node.id) : takeLike(unnamed, node);
    if (match?.nodeName !== node.nodeName) return undefined;
    byId.delete(node.id);
    return match;
  });
}

// The first unnamed old node of the same kind; those before it are not wanted any more.
function takeLike(unnamed, wanted) {
  const index = unnamed.findIndex((node) => isLike(node, wanted));
  return index < 0 ? undefined : unnamed.splice(index, 1)[0];
}

function isLike(node, wanted) {
  return node.nodeName === wanted.nodeName && firstClass(node) === firstClass(wanted);
}

function firstClass(node) {
  return node.classList?.[0] ?? "";
}

function update(node, wanted) {
  if (node.nodeType === 1) morph(node, wanted);
  else if (node.data !== wanted.data) node.data = wanted.data;
}
