// Hosts whose images a person agreed to load, by conversation. No DOM.

const MAX_HOSTS = 100;

export class ImageHosts {
  #storage;
  #key;

  constructor(storage, conversation) {
    this.#storage = storage;
    this.#key = `image-hosts:${conversation}`;
  }

  has(host) {
    return this.#hosts.includes(host);
  }

  add(host) {
    if (this.has(host)) return;
    const hosts = [...this.#hosts, host].slice(-MAX_HOSTS);
    try {
      this.#storage.setItem(this.#key, JSON.stringify(hosts));
    } catch {
      // The storage is full: asked again after a reload.
    }
  }

  get #hosts() {
    try {
      const hosts = JSON.parse(this.#storage.getItem(this.#key) ?? "[]");
      return Array.isArray(hosts) ? hosts : [];
    } catch {
      return [];
    }
  }
}
