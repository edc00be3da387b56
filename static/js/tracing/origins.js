// What stands in the response and what it became in the output: pointing at one lights up both.

const LIT = "data-lit";

export function linkOrigins(page) {
  page.addEventListener("pointerover", ({ target }) => light(page, target));
  page.addEventListener("focusin", ({ target }) => light(page, target));
  page.addEventListener("pointerleave", () => light(page, document.activeElement));
  page.addEventListener("focusout", () => light(page, null));
}

function light(page, target) {
  const number = target?.closest("[data-origin]")?.dataset.origin;
  for (const part of page.querySelectorAll(`[${LIT}]`)) {
    if (part.dataset.origin !== number) part.removeAttribute(LIT);
  }
  if (number === undefined) return;
  for (const part of page.querySelectorAll(`[data-origin="${CSS.escape(number)}"]`)) {
    part.setAttribute(LIT, "");
  }
}
