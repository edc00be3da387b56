// Parts of a page that are fetched and put in the place of what they were.

export async function get(address) {
  try {
    const response = await fetch(address);
    return response.ok && !response.redirected ? await response.text() : null;
  } catch {
    return null; // offline: a reload, or the next look, says so
  }
}

export function parse(html) {
  return new DOMParser().parseFromString(html, "text/html");
}

// The focus stays on what has come in place of the focused element, or on the new part.
export function replace(part, next) {
  const focused = part.contains(document.activeElement) ? document.activeElement : null;
  part.replaceWith(next);
  if (!focused) return;
  const { id, dataset } = focused;
  const href = focused.getAttribute("href");
  const same = [
    id && `#${CSS.escape(id)}`,
    dataset.step && `[data-step="${dataset.step}"]`,
    href && `[href="${CSS.escape(href)}"]`,
  ].filter(Boolean);
  const heir = same.length ? next.querySelector(same.join()) : null;
  (heir ?? next).focus({ preventScroll: true });
}
