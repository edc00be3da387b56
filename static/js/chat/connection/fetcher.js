// Fetches by key: one request at a time, not too often, again if it was requested meanwhile, and
// again after a failure.

const PAUSE_MS = 250;
const RETRY_MS = 2_000;

export class Fetcher {
  #load;
  #waiting = new Map(); // key → "running" | "again"
  #pause;
  #retry;

  // `load(key)` returns a promise of true if it failed and has to be repeated.
  constructor(load, { pause = PAUSE_MS, retry = RETRY_MS } = {}) {
    this.#load = load;
    this.#pause = pause;
    this.#retry = retry;
  }

  ask(key) {
    if (this.#waiting.has(key)) {
      this.#waiting.set(key, "again");
      return;
    }
    this.#waiting.set(key, "running");
    this.#run(key);
  }

  async #run(key) {
    let failed = false;
    try {
      failed = await this.#load(key);
    } finally {
      setTimeout(() => this.#settle(key, failed), failed ? this.#retry : this.#pause);
    }
  }

  #settle(key, failed) {
    const again = failed || this.#waiting.get(key) === "again";
    this.#waiting.delete(key);
    if (again) this.ask(key);
  }
}
