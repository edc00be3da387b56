// Tells of an answer that is done, or that waits for the person, while the tab is hidden: by a mark in
// the tab's title, and by the browser's notification for who switched that on in the settings.

const MARK = "● ";

export class Notifications {
  #document;
  #isOn;

  constructor(document, isOn) {
    this.#document = document;
    this.#isOn = isOn;
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) document.title = unmarked(document.title);
    });
  }

  tell(sentence) {
    const document = this.#document;
    if (!document.hidden) return;
    const title = unmarked(document.title);
    document.title = MARK + title;
    if (!this.#isOn || globalThis.Notification?.permission !== "granted") return;
    try {
      const shown = new Notification(title, { body: sentence, tag: document.location.pathname });
      shown.onclick = () => {
        window.focus();
        shown.close();
      };
    } catch {
      // Some phones show notifications of service workers alone; the mark is there.
    }
  }
}

function unmarked(title) {
  return title.startsWith(MARK) ? title.slice(MARK.length) : title;
}
