// Keeps the end of the thread in view while the reader is there; otherwise shows a button that leads
// there and tells of new text.

import { gettext } from "../../base/i18n.js";

const NEAR_PX = 64;
const WORDS = { news: gettext("New text below"), end: gettext("To the end") };

export class Follower {
  #scroller;
  #button;
  #words;
  #following = true;
  #height = 0;
  #top = 0;

  constructor(scroller, button) {
    this.#scroller = scroller;
    this.#button = button;
    this.#words = button.querySelector("[data-words]");
    scroller.addEventListener("scroll", () => this.#look(), { passive: true });
    button.addEventListener("click", () => this.jump());
    new ResizeObserver(() => this.grew(false)).observe(scroller);
  }

  // To call after the thread's content changed.
  grew(isNews = true) {
    const height = this.#scroller.scrollHeight;
    if (this.#following) this.#toEnd();
    else if (isNews && height > this.#height) this.#offer(WORDS.news);
    this.#height = height;
  }

  // Moves the reader to another place than the end.
  leave() {
    this.#following = false;
    this.#height = this.#scroller.scrollHeight;
    if (!this.#isNearEnd) this.#offer(WORDS.end);
  }

  jump() {
    this.#following = true;
    this.#toEnd();
    this.#look();
  }

  // A conversation without a message is read from its top: the first steps, then what to ask.
  #toEnd() {
    if (this.#scroller.querySelector("#empty")) return;
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#top = this.#scroller.scrollTop;
  }

  // Only a move upwards means that the reader left the end: the end itself moves away whenever text
  // has come since the last frame.
  #look() {
    const { scrollTop } = this.#scroller;
    if (this.#isNearEnd) this.#following = true;
    else if (scrollTop < this.#top) this.#following = false;
    this.#top = scrollTop;
    if (this.#following) this.#button.hidden = true;
    else if (this.#button.hidden) this.#offer(WORDS.end);
  }

  get #isNearEnd() {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    return scrollHeight - scrollTop - clientHeight < NEAR_PX;
  }

  #offer(words) {
    if (this.#words.textContent !== words) this.#words.textContent = words;
    this.#button.hidden = false;
  }
}
