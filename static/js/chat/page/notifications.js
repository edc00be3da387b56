// Tells of an answer that is done, or that waits for the person, while nobody looks at the
// conversation: by a mark in the title of each hidden tab, and by one notification of the browser,
// from whichever tab is first, for who switched that on in the settings.

import { safeStorage } from "../../base/storage.js";

const MARK = "● ";
// What was told, by the tabs of this browser: the latest keys.
const TOLD = "told";
const MOST_TOLD = 20;

export class Notifications {
  #document;
  #isOn;
  #leave = null;

  constructor(document, isOn) {
    this.#document = document;
    this.#isOn = isOn;
    document.addEventListener("visibilitychange", () => this.look());
    this.look();
  }

  // `key` names what has happened, the same in every tab.
  async tell(sentence, key) {
    const document = this.#document;
    if (!document.hidden) return;
    const title = unmarked(document.title);
    document.title = MARK + title;
    if (!this.#isOn || globalThis.Notification?.permission !== "granted") return;
    if (await isFirst(this.#lock(), key)) this.#show(title, sentence);
  }

  #show(title, body) {
    try {
      const shown = new Notification(title, { body, tag: this.#document.location.pathname });
      shown.onclick = () => {
        window.focus();
        shown.close();
      };
    } catch {
      // Some phones show notifications of service workers alone; the mark is there.
    }
  }

  // A visible tab holds a lock with its conversation's name: the hidden ones see that it is read.
  // To be called when the tab is shown or hidden, and when its address changes.
  look() {
    const document = this.#document;
    this.#leave?.();
    this.#leave = null;
    if (document.hidden) return;
    document.title = unmarked(document.title);
    const left = new Promise((leave) => (this.#leave = leave));
    globalThis.navigator?.locks?.request(this.#lock(), { mode: "shared" }, () => left);
  }

  #lock() {
    return `reads ${this.#document.location.pathname}`;
  }
}

// Whether no visible tab reads it, and no other tab has told it. Without locks (a site without
// HTTPS has no notifications either) each tab tells.
async function isFirst(reading, key) {
  const locks = globalThis.navigator?.locks;
  if (!locks) return true;
  const { held } = await locks.query();
  if (held.some(({ name }) => name === reading)) return false;
  return locks.request(TOLD, () => {
    const storage = safeStorage(() => localStorage);
    const told = JSON.parse(storage.getItem(TOLD) ?? "[]");
    if (told.includes(key)) return false;
    storage.setItem(TOLD, JSON.stringify([...told, key].slice(-MOST_TOLD)));
    return true;
  });
}

// The tab's title becomes this one, and stays marked.
export function setTitle(document, title) {
  document.title = document.title.startsWith(MARK) ? MARK + title : title;
}

function unmarked(title) {
  return title.startsWith(MARK) ? title.slice(MARK.length) : title;
}
