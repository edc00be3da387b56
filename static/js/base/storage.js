// Web storage that may be full or forbidden: then it lasts as long as the page.

export function safeStorage(getStorage) {
  try {
    const storage = getStorage();
    storage.setItem("probe", "");
    storage.removeItem("probe");
    return storage;
  } catch {
    return new MemoryStorage();
  }
}

export class MemoryStorage {
  #items = new Map();

  get length() {
    return this.#items.size;
  }

  key(index) {
    return [...this.#items.keys()][index] ?? null;
  }

  getItem(key) {
    return this.#items.get(key) ?? null;
  }

  setItem(key, value) {
    this.#items.set(key, String(value));
  }

  removeItem(key) {
    this.#items.delete(key);
  }
}
