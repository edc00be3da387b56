// Partials: HTML of the server that is fetched and put into the page, once or while work goes on.

import { morph, parseHTML } from "./morph.js";

export const HEADERS = { Accept: "text/html", "X-Requested-With": "fetch" };
const SLOW_MS = 2000;

// The response, or null while the page reloads because the session or the right has ended: the
// page itself says which. Rejects without a connection.
export async function fetchPartial(url, options = {}) {
  const response = await fetch(url, { headers: HEADERS, ...options });
  if (!response.redirected && response.status !== 403) return response;
  location.reload();
  return null;
}

// Keeps what the reader has opened, typed or focused.
export function replaceContents(place, html) {
  place.normalize();
  const fresh = place.cloneNode(false);
  fresh.append(parseHTML(place.ownerDocument, html));
  morph(place, fresh);
}

// Calls `poll` while `isOpen()`: every `everyMs`, and every 2 s after `slowAfter` polls or after
// one that failed, since the server may be restarting; the banner says that it is away.
export async function pollWhile(isOpen, poll, { everyMs, slowAfter = Infinity }) {
  let left = slowAfter;
  while (isOpen()) {
    await new Promise((done) => setTimeout(done, left > 0 ? everyMs : SLOW_MS));
    if (!isOpen()) return;
    left -= 1;
    try {
      await poll();
    } catch {
      left = 0;
    }
  }
}
