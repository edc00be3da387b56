// Fetches the server's HTML. If the person is signed out, the page tells them and keeps its drafts.

import { gettext } from "../../base/i18n.js";

export class SignedOut extends Error {}
export class Gone extends Error {}
// The server's sentence says why a change was not made.
export class Refused extends Error {}

const BLANK_ID = "00000000-0000-0000-0000-000000000000";

export class Server {
  #urls;

  constructor(dataset) {
    this.#urls = dataset;
  }

  url(name, id) {
    return this.#urls[`${name}Url`].replace(BLANK_ID, id);
  }

  get(name, id) {
    return this.getUrl(this.url(name, id));
  }

  // Raises SignedOut, Gone, or TypeError if the server cannot be reached.
  async getUrl(url) {
    return check(await fetch(url, { headers: { "X-Requested-With": "fetch" } })).text();
  }

  async post(form) {
    const headers = { "X-Requested-With": "fetch" };
    const body = new FormData(form);
    return check(await fetch(form.action, { method: "POST", headers, body }));
  }

  // Makes a change that answers HTML. Raises as `getUrl`, and Refused.
  async change(url, fields = {}) {
    const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
    const headers = { "X-Requested-With": "fetch", "X-CSRFToken": token };
    const body = new URLSearchParams(fields);
    const response = await fetch(url, { method: "POST", headers, body });
    if (response.status === 409) throw new Refused((await response.json()).error);
    return check(response).text();
  }
}

// What to tell a person of a request about a message that failed; `otherwise` if the server could not
// be reached.
export function problemOf(error, otherwise = gettext("No connection. Try again in a moment.")) {
  if (error instanceof Refused) return error.message;
  if (error instanceof SignedOut) return gettext("You are signed out. Sign in again to go on.");
  return error instanceof Gone ? gettext("This message no longer exists.") : otherwise;
}

function check(response) {
  if (response.redirected || response.status === 401 || response.status === 403) {
    throw new SignedOut();
  }
  if (response.status === 404) throw new Gone();
  if (!response.ok) throw new TypeError(`the server answered ${response.status}`);
  return response;
}
