// The commands that were run last, newest first. No DOM.

const KEY = "recent-commands";
const MOST_KEPT = 20;
const MOST_SHOWN = 4;

export class Recent {
  #storage;

  constructor(storage) {
    this.#storage = storage;
  }

  add(id) {
    const ids = [id, ...this.#ids().filter((known) => known !== id)].slice(0, MOST_KEPT);
    try {
      this.#storage.setItem(KEY, JSON.stringify(ids));
    } catch {
      // Storage is full: the order stays as it was.
    }
  }

  // The first few of these commands that were run before.
  of(commands) {
    const byId = new Map(commands.map((command) => [command.id, command]));
    return this.#ids()
      .map((id) => byId.get(id))
      .filter(Boolean)
      .slice(0, MOST_SHOWN);
  }

  #ids() {
    try {
      const ids = JSON.parse(this.#storage.getItem(KEY) ?? "[]");
      return Array.isArray(ids) ? ids : [];
    } catch {
      return [];
    }
  }
}
