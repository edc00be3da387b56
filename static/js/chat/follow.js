// Keeps the end of the thread in view while the reader is there; otherwise a button says that there
// is more below.

const NEAR_PX = 64;

export class Follower {
  #scroller;
  #button;
  #following = true;
  #height = 0;
  #top = 0;

  constructor(scroller, button) {
    this.#scroller = scroller;
    this.#button = button;
    scroller.addEventListener("scroll", () => this.#look(), { passive: true });
    button.addEventListener("click", () => this.jump());
    new ResizeObserver(() => this.grew(false)).observe(scroller);
  }

  // To call after the thread's content changed.
  grew(isNews = true) {
    const height = this.#scroller.scrollHeight;
    if (this.#following) this.#toEnd();
    else if (isNews && height > this.#height) this.#button.hidden = false;
    this.#height = height;
  }

  // The reader is led to another place than the end.
  leave() {
    this.#following = false;
  }

  jump() {
    this.#following = true;
    this.#button.hidden = true;
    this.#toEnd();
  }

  #toEnd() {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#top = this.#scroller.scrollTop;
  }

  // Only a move upwards means that the reader left the end: the end itself moves away whenever text
  // has come since the last frame.
  #look() {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    if (scrollHeight - scrollTop - clientHeight < NEAR_PX) this.#following = true;
    else if (scrollTop < this.#top) this.#following = false;
    this.#top = scrollTop;
    if (this.#following) this.#button.hidden = true;
  }
}
