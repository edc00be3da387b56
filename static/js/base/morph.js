// Changes an element into freshly fetched HTML and keeps the reader's state: opened details, focus,
// scroll positions. Equal nodes are not touched.
//
// Children are matched by id, else by tag in order. Children of elements with data-keep belong to
// the page's scripts and are not changed.

export function morph(element, fresh) {
  if (element.isEqualNode(fresh)) return;
  syncAttributes(element, fresh);
  if (!element.hasAttribute("data-keep")) syncChildren(element, fresh);
}

export function parseHTML(document, html) {
  const template = document.createElement("template");
  template.innerHTML = html;
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
  return name === "open" && element.localName === "details";
}

function syncChildren(element, fresh) {
  const old = [...element.childNodes];
  const byId = new Map(old.filter((node) => node.id).map((node) => [node.id, node]));
  const unnamed = old.filter((node) => !node.id);
  let place = element.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    const match = wanted.id ? byId.get(wanted.id) : takeLike(unnamed, wanted);
    if (match && match.nodeName === wanted.nodeName) {
      byId.delete(wanted.id);
      if (match === place) place = place.nextSibling;
      else element.insertBefore(match, place);
      update(match, wanted);
    } else {
      element.insertBefore(wanted, place);
    }
  }
  for (const node of [...unnamed, ...byId.values()]) node.remove();
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
