// Messages that the server has not answered yet. They are stored before they are sent and until they
// are accepted, so that neither a reload nor a lost connection loses one. Each keeps its key: sending
// it again returns the same turn.
//
// A message that is sent before the first one of a new conversation is accepted waits `after` it,
// because its conversation has no id yet. A rejected message stays, with its error.

import { gettext, interpolate } from "../../base/i18n.js";
import { size } from "../../base/format.js";

const ORPHANED_MS = 60_000;
// Bytes of a frame, and those of them that are reserved for the fields beside the text.
const FRAME_BYTES = 1024 * 1024;
const ENVELOPE_BYTES = 1024; // ten attachments among it

// Why a text cannot be sent, or null. The server would close the connection at such a frame.
export function tooLong(text) {
  if (text.length * 6 + ENVELOPE_BYTES <= FRAME_BYTES) return null; // at worst `\u0000`
  const bytes = new TextEncoder().encode(JSON.stringify(text)).length;
  if (bytes + ENVELOPE_BYTES <= FRAME_BYTES) return null;
  return interpolate(gettext("The message has %(size)s; the limit is %(most)s. Shorten it."), { size: size(bytes), most: size(FRAME_BYTES) });
}

export class Outbox {
  #storage;
  #prefix;
  #tab;
  #refused = new Map(); // by storage, which is full: kept as long as the page

  constructor(storage, account, tab) {
    this.#storage = storage;
    this.#prefix = `outbox:${account}:`;
    this.#tab = tab;
  }

  put(message, now) {
    this.#write({ ...message, tab: this.#tab, at: now });
  }

  remove(key) {
    this.#refused.delete(key);
    this.#storage.removeItem(this.#prefix + key);
  }

  reject(key, error) {
    const message = this.get(key);
    if (message) this.#write({ ...message, error });
  }

  get(key) {
    return this.#refused.get(key) ?? parse(this.#storage.getItem(this.#prefix + key));
  }

  // The messages of this tab, and of tabs that are gone, oldest first.
  mine(now) {
    return this.#all()
      .filter((message) => message.tab === this.#tab || now - message.at > ORPHANED_MS)
      .sort((a, b) => a.at - b.at);
  }

  sendable(now) {
    return this.mine(now).filter((message) => !message.error && !message.after);
  }

  // Returns the messages that waited for this one, now with their conversation.
  accept(key, conversation) {
    const waiting = this.#all().filter((message) => message.after === key);
    const released = waiting.map((message) => ({ ...message, conversation, after: null }));
    for (const message of released) this.#write(message);
    this.remove(key);
    return released.sort((a, b) => a.at - b.at);
  }

  #all() {
    const keys = [];
    for (let index = 0; index < this.#storage.length; index += 1) {
      const key = this.#storage.key(index);
      if (key?.startsWith(this.#prefix)) keys.push(key);
    }
    const stored = keys.map((key) => parse(this.#storage.getItem(key))).filter(Boolean);
    return [...stored.filter(({ key }) => !this.#refused.has(key)), ...this.#refused.values()];
  }

  #write(message) {
    try {
      this.#storage.setItem(this.#prefix + message.key, JSON.stringify(message));
      this.#refused.delete(message.key);
    } catch {
      this.#refused.set(message.key, message);
    }
  }
}

function parse(text) {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}
