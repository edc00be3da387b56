// Draws at most once a frame, and less often when drawing (layout included) takes long: a page that
// cannot keep up stays usable.

const CHEAP_MS = 12;

export class Painter {
  #draw;
  #scheduled = false;
  #notBefore = 0;

  constructor(draw) {
    this.#draw = draw;
  }

  schedule() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const wait = this.#notBefore - performance.now();
    if (wait > 0) setTimeout(() => this.#next(), wait);
    else this.#next();
  }

  // A hidden page gets no animation frames, but has to be up to date when it is shown.
  #next() {
    if (document.visibilityState === "hidden") setTimeout(() => this.#paint(), 250);
    else requestAnimationFrame(() => this.#paint());
  }

  #paint() {
    this.#scheduled = false;
    const start = performance.now();
    this.#draw(start);
    const cost = performance.now() - start;
    this.#notBefore = cost > CHEAP_MS ? start + 3 * cost : 0;
  }
}
