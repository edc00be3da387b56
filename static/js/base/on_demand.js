// A part of a page that is loaded when it is first used.
//
//   const find = new OnDemand(() => import("./find.js"), ({ Find }) => new Find(page));
//   find.use((it) => it.open()); // loads it first, if need be; a failure is told once
//   find.now?.close();           // only if it is made already
//
// Once the person has pressed something, the modules of all parts are fetched one after the other
// while the browser is idle: they are there when they are needed, also without a connection.

import { gettext } from "./i18n.js";
import { toast } from "./toast.js";

const UNAVAILABLE = gettext("This part of the page could not be loaded. Check the connection, or reload the page.");
// After a failure the server is not asked at every frame.
const PAUSE_MS = 2_000;
const FIRST_USES = ["keydown", "pointerdown"];

const parts = new Set();

// The module could not be fetched; the message is a sentence for people.
export class Unavailable extends Error {}

export class OnDemand {
  // What was made of the module; null until it is loaded.
  now = null;
  #fetch;
  #make;
  #loading = null;
  #told = null; // the loading whose failure the person was told

  // `fetch()` imports the module, `make(module)` is called once with it.
  constructor(fetch, make = (module) => module) {
    this.#fetch = fetch;
    this.#make = make;
    parts.add(this);
  }

  // Resolves to the part; rejects with a sentence for people.
  load() {
    this.#loading ??= this.#begin();
    return this.#loading;
  }

  // `act(part)` at once if the part is there. Answers what `act` does, or undefined after a failure.
  use(act) {
    return this.now === null ? this.#useLater(act) : act(this.now);
  }

  // Fetches the module without making anything of it. Answers whether it came.
  async prefetch() {
    parts.delete(this);
    try {
      await this.#fetch();
      return true;
    } catch {
      return false;
    }
  }

  async #useLater(act) {
    const loading = this.load();
    try {
      await loading;
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      if (this.#told !== loading) toast(document, error.message);
      this.#told = loading;
      return undefined;
    }
    return act(this.now);
  }

  async #begin() {
    const module = await this.#fetch().catch(() => {
      setTimeout(() => {
        this.#loading = null;
      }, PAUSE_MS);
      throw new Unavailable(UNAVAILABLE);
    });
    parts.delete(this);
    this.now ??= this.#make(module);
    return this.now;
  }
}

export function prefetchAfterFirstUse(document) {
  const begin = () => {
    for (const type of FIRST_USES) document.removeEventListener(type, begin, true);
    whenIdle(prefetchNext);
  };
  for (const type of FIRST_USES) document.addEventListener(type, begin, true);
}

async function prefetchNext() {
  const [next] = parts;
  if (!next || navigator.onLine === false || navigator.connection?.saveData) return;
  // What could not be fetched is fetched when it is used.
  if (await next.prefetch()) whenIdle(prefetchNext);
}

function whenIdle(act) {
  if (globalThis.requestIdleCallback) requestIdleCallback(act, { timeout: 1_000 });
  else setTimeout(act, 50);
}
