// The prompt text of the request's column: made elsewhere, put in where there is a place for it.

// Fetched once for each address; a live page puts the same text into its next version.
const fetched = new Map();

export function fillPrompt(page) {
  const slot = page.querySelector("[data-prompt]");
  if (slot) fill(slot);
}

async function fill(slot) {
  const address = slot.dataset.prompt;
  if (!fetched.has(address)) fetched.set(address, load(address));
  const html = await fetched.get(address);
  if (html === null) return fetched.delete(address); // the link stays
  const shown = new DOMParser().parseFromString(html, "text/html").querySelector("[data-prompt-shown]");
  if (shown && slot.isConnected) slot.replaceChildren(shown);
}

async function load(address) {
  try {
    const response = await fetch(address);
    return response.ok && !response.redirected ? await response.text() : null;
  } catch {
    return null;
  }
}
