// <payload-reader>: a payload of any size by parts. Those around what is in sight are in the page,
// what is above and below them is two spacers as high as it would be.

import { gettext, interpolate } from "../../base/i18n.js";
import { get, parse } from "./parts.js";
import { Window } from "./window.js";

const AGAIN_MS = 3000;
// Bytes of a line of a hexdump, as tracing/page/payload/parts.py has them.
const [NARROW, BROAD] = ["8", "16"];
// Scrolling this fast, nothing can be read: what flies by is not fetched.
const SETTLED_MS = 60;

class PayloadReader extends HTMLElement {
  connectedCallback() {
    this.scroller = this.querySelector("[data-scroller]");
    if (!this.scroller || this.window) return;
    this.window = new Window(Number(this.dataset.parts));
    this.find = this.querySelector("[name=find]")?.value ?? "";
    this.heights = [];
    this.found = { at: [], parts: [] };
    this.match = -1;
    this.#lay();
    this.#watch();
    this.querySelector("[data-pages]")?.remove();
    this.classList.add("reader-live");
    if (this.dataset.hex === BROAD) this.#fit();
    this.isOpening = Boolean(this.find || this.dataset.bytes);
    this.pinned = this.isOpening;
    if (this.find) this.#look(Number(this.dataset.match));
    else if (this.dataset.bytes) this.#light();
    this.#afterLoad();
  }

  // Until all has loaded, the browser goes to the fragment of the address again.
  #afterLoad() {
    if (!this.pinned || document.readyState === "complete") return;
    addEventListener("load", () => requestAnimationFrame(() => requestAnimationFrame(() => {
      if (!this.pinned || !this.isConnected) return;
      this.isOpening = true;
      this.#light();
    })), { once: true });
  }

  disconnectedCallback() {
    document.removeEventListener("wrap", this.relay);
  }

  // The one part that the page came with becomes one of many.
  #lay() {
    const own = this.scroller.querySelector(".reader-part");
    const number = Number(own.dataset.number);
    own.classList.add("reader-filled");
    this.above = document.createElement("div");
    this.below = document.createElement("div");
    this.boxes = new Map([[number, own]]);
    this.scroller.replaceChildren(this.above, own, this.below);
    this.window.end(number, true);
    this.window.look(number, number);
    this.#estimate(number);
    this.#space();
    if (number > 1) this.#show(number);
  }

  // An unseen part is taken to be as high as one that is seen.
  #estimate(number) {
    this.heights = [];
    this.#measure(number);
    this.usual = this.heights[number] || 400;
    this.scroller.style.setProperty("--part-height", `${this.usual}px`);
  }

  #measure(number) {
    this.heights[number] = this.boxes.get(number).getBoundingClientRect().height;
  }

  #height(number) {
    return this.heights[number] ?? this.usual;
  }

  #space() {
    const numbers = [...this.boxes.keys()];
    let [above, below] = [0, 0];
    for (let at = 1; at < Math.min(...numbers); at++) above += this.#height(at);
    for (let at = Math.max(...numbers) + 1; at <= this.window.count; at++) below += this.#height(at);
    this.above.style.blockSize = `${above}px`;
    this.below.style.blockSize = `${below}px`;
  }

  #watch() {
    this.scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    // Parts that come in above a match move it, until the reader goes on alone.
    for (const name of ["wheel", "touchmove", "pointerdown", "keydown"]) {
      this.scroller.addEventListener(name, () => (this.pinned = false), { passive: true });
    }
    this.relay = () => this.#wrapped();
    document.addEventListener("wrap", this.relay);
    this.addEventListener("submit", (event) => this.#submitted(event));
    this.addEventListener("click", (event) => this.#clicked(event));
    this.addEventListener("keydown", (event) => this.#pressed(event));
    this.#moved();
  }

  #scrolled() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.#moved();
    });
  }

  #moved() {
    this.window.look(...this.#inSight());
    this.#shift();
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.#fill(), SETTLED_MS);
  }

  #inSight() {
    const { scrollTop, clientHeight } = this.scroller;
    let [at, bottom] = [1, this.#height(1)];
    while (bottom <= scrollTop && at < this.window.count) bottom += this.#height(++at);
    const first = at;
    while (bottom < scrollTop + clientHeight && at < this.window.count) bottom += this.#height(++at);
    return [first, at];
  }

  // Boxes come and go with what is in sight.
  #shift() {
    const { from, to } = this.window;
    if (this.boxes.has(from) && this.boxes.has(to) && this.boxes.size === to - from + 1) return;
    this.window.drop();
    for (const [number, box] of this.boxes) {
      if (number >= from && number <= to) continue;
      box.remove();
      this.boxes.delete(number);
    }
    let next = this.below;
    for (let number = to; number >= from; number--) {
      if (!this.boxes.has(number)) this.#add(number, next);
      next = this.boxes.get(number);
    }
    this.#space();
  }

  #add(number, next) {
    const box = document.createElement("div");
    box.className = "reader-part";
    box.dir = "auto";
    box.dataset.number = number;
    if (this.heights[number]) box.style.blockSize = `${this.heights[number]}px`;
    this.boxes.set(number, box);
    this.scroller.insertBefore(box, next);
  }

  #fill() {
    for (let number = this.window.next(); number !== null; number = this.window.next()) {
      this.window.begin(number);
      this.#load(number);
    }
  }

  async #load(number) {
    const html = await get(this.#address(number));
    await this.#turn();
    const isFilled = html !== null && this.boxes.has(number) && this.isConnected;
    this.window.end(number, isFilled);
    if (isFilled) this.#put(number, html);
    if (html === null) setTimeout(() => this.#fill(), AGAIN_MS);
    else this.#fill();
  }

  // One part a frame: to lay out two might take longer than one has.
  #turn() {
    this.queue = (this.queue ?? Promise.resolve()).then(() => new Promise(requestAnimationFrame));
    return this.queue;
  }

  #address(number) {
    const query = new URLSearchParams();
    if (this.find) query.set("find", this.find);
    else if (this.dataset.bytes) query.set("bytes", this.dataset.bytes);
    if (this.dataset.hex !== undefined) {
      query.set("hex", "1");
      query.set("width", this.dataset.hex);
    }
    return `${this.dataset.partUrl.replace(/0$/, number)}?${query}`;
  }

  #put(number, html) {
    const box = this.boxes.get(number);
    box.replaceChildren(...parse(html).body.childNodes);
    box.classList.add("reader-filled");
    box.style.removeProperty("block-size");
    this.#measure(number);
    if (this.pinned) this.#light();
  }

  // It stays as high as it was.
  #empty(box) {
    box.style.blockSize = `${this.#height(Number(box.dataset.number))}px`;
    box.classList.remove("reader-filled");
    box.replaceChildren();
  }

  // The part that is read stays in sight.
  #wrapped() {
    const [number] = this.#inSight();
    this.#estimate(number);
    for (const [at, box] of this.boxes) {
      box.style.removeProperty("block-size");
      this.#measure(at);
    }
    this.#space();
    this.#show(number);
    this.#moved();
  }

  #submitted(event) {
    event.preventDefault();
    const wish = this.querySelector("[name=find]").value;
    if (wish === this.find) this.#go(1);
    else this.#search(wish);
  }

  #clicked({ target }) {
    const button = target.closest("[data-go]");
    if (button) this.#go(Number(button.dataset.go));
  }

  #pressed(event) {
    if (event.target.name !== "find") return;
    if (event.key === "Enter" && event.shiftKey) {
      event.preventDefault();
      this.#go(-1);
    }
    event.stopPropagation();
  }

  async #search(wish) {
    this.find = wish;
    this.found = { at: [], parts: [] };
    this.match = -1;
    for (const number of this.window.clear()) this.#empty(this.boxes.get(number));
    await this.#look(0);
    this.#fill();
  }

  // Where it stands is asked for the whole payload; marks come with the parts.
  async #look(match) {
    const wish = this.find;
    const answer = wish ? await get(this.#findAddress(wish)) : '{"at":[],"parts":[],"more":false}';
    if (wish !== this.find) return;
    this.found = answer === null ? { at: [], parts: [] } : JSON.parse(answer);
    for (const button of this.querySelectorAll("[data-go]")) button.hidden = !this.found.at.length;
    this.match = Math.min(match, this.found.at.length - 1);
    this.#tell(answer === null ? gettext("could not be searched") : "");
    if (this.match >= 0) this.#reach();
  }

  #findAddress(wish) {
    const query = new URLSearchParams({ find: wish });
    if (this.dataset.hex !== undefined) query.set("hex", "1");
    return `${this.dataset.findUrl}?${query}`;
  }

  #go(step) {
    const count = this.found.at.length;
    if (!count) return;
    this.match = (this.match + step + count) % count;
    this.#tell("");
    this.#reach();
  }

  #tell(problem) {
    const { at, more } = this.found;
    const count = at.length.toLocaleString("en");
    const place = interpolate(gettext("%(number)s of %(count)s"), {
      number: (this.match + 1).toLocaleString("en"),
      count: `${count}${more ? "+" : ""}`,
    });
    const said = at.length ? place : gettext("not found");
    this.querySelector("[data-found]").textContent = problem || (this.find ? said : "");
  }

  // Goes to the part with the match; its mark lights up as soon as it is there.
  #reach() {
    this.pinned = true;
    const number = this.found.parts[this.match];
    if (this.boxes.get(number)?.classList.contains("reader-filled") && this.#light()) return;
    this.#show(number);
  }

  #show(number) {
    let top = 0;
    for (let at = 1; at < number; at++) top += this.#height(at);
    this.scroller.scrollTop = top + 1;
    this.#moved();
  }

  // Where sixteen bytes a line do not fit beside their text, eight do.
  #fit() {
    if (this.scroller.scrollWidth <= this.scroller.clientWidth) return;
    this.dataset.hex = NARROW;
    for (const number of this.window.clear()) this.#empty(this.boxes.get(number));
    this.#fill();
  }

  #light() {
    for (const lit of this.scroller.querySelectorAll("mark[data-lit]")) lit.removeAttribute("data-lit");
    const at = this.find ? this.found.at[this.match] : this.dataset.bytes?.split("-")[0];
    const mark = this.scroller.querySelector(`mark[data-at="${at}"]`);
    if (!mark) return false;
    mark.setAttribute("data-lit", "");
    const { top, height } = mark.getBoundingClientRect();
    const bounds = this.scroller.getBoundingClientRect();
    if (top < bounds.top || top + height > bounds.bottom) {
      this.scroller.scrollTop += top - bounds.top - bounds.height / 3;
    }
    // What the page was opened at comes into sight, wherever on the page it stands.
    if (this.isOpening) mark.scrollIntoView({ block: "center" });
    this.isOpening = false;
    return true;
  }
}

customElements.define("payload-reader", PayloadReader);
