// The timelines of rounds, fetched when they are needed: { timeline, steps }.

import { get } from "../reader/parts.js";
import { stepsOf } from "./timeline.js";

export class Reels {
  #url;
  #known = new Map();

  constructor(url) {
    this.#url = url;
  }

  // Of a round, or null where there is none.
  of(number) {
    if (!this.#known.has(number)) this.#known.set(number, this.#load(number));
    return this.#known.get(number);
  }

  // A running trace has changed.
  forget() {
    this.#known.clear();
  }

  async #load(number) {
    const text = await get(this.#url.replace(/0$/, number));
    if (text === null) {
      this.#known.delete(number);
      return null;
    }
    const timeline = JSON.parse(text);
    const steps = stepsOf(timeline);
    return steps.length > 0 ? { timeline, steps } : null;
  }
}
