// The text of rendered Markdown, as one wants to paste it: formulas are their TeX.

export function plainText(element) {
  if (!element.querySelector("math")) return element.textContent;
  const copy = element.cloneNode(true);
  showSources(element.ownerDocument, copy);
  return copy.textContent;
}

// A selection with a formula in it is copied with the formula's source.
export function watchCopying(document) {
  document.addEventListener("copy", (event) => {
    const selection = document.getSelection();
    if (event.defaultPrevented || !selection || selection.rangeCount === 0 || selection.isCollapsed) return;
    const range = wholeFormulas(selection.getRangeAt(0).cloneRange());
    const holder = document.createElement("div");
    holder.append(range.cloneContents());
    if (!holder.querySelector("math")) return;
    showSources(document, holder);
    event.clipboardData.setData("text/plain", textIn(document, holder));
    event.preventDefault();
  });
}

// The range with all of each formula that it begins or ends in.
function wholeFormulas(range) {
  const first = closestFormula(range.startContainer);
  const last = closestFormula(range.endContainer);
  if (first) range.setStartBefore(first);
  if (last) range.setEndAfter(last);
  return range;
}

function closestFormula(node) {
  return (node.nodeType === 1 ? node : node.parentElement)?.closest("math") ?? null;
}

function showSources(document, element) {
  for (const math of element.querySelectorAll("math")) {
    const mark = math.getAttribute("display") === "block" ? "$$" : "$";
    math.replaceWith(document.createTextNode(`${mark}${math.getAttribute("alttext")}${mark}`));
  }
}

// With the line breaks that the elements make, which only what is laid out has.
function textIn(document, holder) {
  holder.className = "copied-text";
  document.body.append(holder);
  const text = holder.innerText;
  holder.remove();
  return text;
}
