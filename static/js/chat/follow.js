// Keeps the end of the thread in view while the reader is there; otherwise a button says that there
// is more below.

const NEAR_PX = 64;

export class Follower {
  #scroller;
  #button;
  #following = true;
  #height = 0;

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

  jump() {
    this.#following = true;
    this.#button.hidden = true;
    this.#toEnd();
  }

  #toEnd() {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  #look() {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    this.#following = scrollHeight - scrollTop - clientHeight < NEAR_PX;
    if (this.#following) this.#button.hidden = true;
  }
}
