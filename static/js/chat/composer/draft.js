// Stores a text in the browser while it is typed: soon after the last key press, not at each one,
// because storing a long text takes longer than a key press may.

const PAUSE_MS = 300;

export class Draft {
  #storage;
  #key = "";
  #text = "";
  #timer = null;

  constructor(storage, pause = PAUSE_MS) {
    this.#storage = storage;
    this.pause = pause;
  }

  // Stores under this key from now on.
  use(key) {
    this.flush();
    this.#key = key;
    return this.#storage.getItem(key);
  }

  // Moves the draft to another key.
  move(key) {
    this.#cancel();
    this.#storage.removeItem(this.#key);
    this.#key = key;
  }

  put(text) {
    this.#text = text;
    this.#timer ??= setTimeout(() => this.flush(), this.pause);
    // A sent text must not come back.
    if (!text) this.flush();
  }

  flush() {
    if (this.#timer === null) return;
    this.#cancel();
    try {
      if (this.#text) this.#storage.setItem(this.#key, this.#text);
      else this.#storage.removeItem(this.#key);
    } catch {
      // Storage is full: the text is still in the field.
    }
  }

  #cancel() {
    clearTimeout(this.#timer);
    this.#timer = null;
  }
}
