// Buttons of the last message and the last answer, by their keys.

// The last button of the thread that can be pressed, or null.
export function lastOf(document, selector) {
  const buttons = document.querySelectorAll(`#thread ${selector}`);
  return [...buttons].filter((button) => !button.disabled && !button.closest("[hidden]")).at(-1) ?? null;
}

export function lastEditable(document) {
  return lastOf(document, "[data-edit-question]");
}

export function pressLast(document, selector) {
  const last = lastOf(document, selector);
  last?.focus();
  last?.click();
}
