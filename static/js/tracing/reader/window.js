// Which parts of a long text are to be in the page, and which are fetched next. No DOM.

// So many parts around those in sight are kept, so that a glance back needs no fetch.
const KEPT_BESIDE = 2;

export class Window {
  #filled = new Set();
  #loading = new Set();

  constructor(count, most = 2) {
    this.count = count;
    this.most = most;
    this.first = 1;
    this.last = 1;
  }

  // The parts in sight, from `first` to `last`.
  look(first, last) {
    this.first = first;
    this.last = last;
  }

  // The parts that are to be in the page.
  get from() {
    return Math.max(1, this.first - KEPT_BESIDE);
  }

  get to() {
    return Math.min(this.count, this.last + KEPT_BESIDE);
  }

  wants(number) {
    return number >= this.from && number <= this.to;
  }

  // The part to fetch next, or null: what is in sight before what is beside it.
  next() {
    if (this.#loading.size >= this.most) return null;
    const missing = [];
    for (let number = this.from; number <= this.to; number++) {
      if (!this.#filled.has(number) && !this.#loading.has(number)) missing.push(number);
    }
    const inSight = (number) => number >= this.first && number <= this.last;
    return missing.find(inSight) ?? missing[0] ?? null;
  }

  begin(number) {
    this.#loading.add(number);
  }

  // A part has come, or failed to.
  end(number, isFilled) {
    this.#loading.delete(number);
    if (isFilled) this.#filled.add(number);
  }

  // The parts that are in the page and no longer wanted; they count as gone.
  drop() {
    const far = [...this.#filled].filter((number) => !this.wants(number));
    for (const number of far) this.#filled.delete(number);
    return far;
  }

  clear() {
    const all = [...this.#filled];
    this.#filled.clear();
    return all;
  }

  get filled() {
    return this.#filled.size;
  }
}
