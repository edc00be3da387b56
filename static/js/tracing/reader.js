// <payload-reader>: a payload of any size by parts. Those around what is in sight are in the page,
// all others are empty boxes as high as they would be.

import { get, parse } from "./parts.js";
import { Window } from "./window.js";

const AGAIN_MS = 3000;
// Scrolling this fast, nothing can be read: what flies by is not fetched.
const SETTLED_MS = 60;

class PayloadReader extends HTMLElement {
  connectedCallback() {
    this.scroller = this.querySelector("[data-scroller]");
    if (!this.scroller || this.window) return;
    this.window = new Window(Number(this.dataset.parts));
    this.find = this.querySelector("[name=find]")?.value ?? "";
    this.seen = new Set();
    this.found = { at: [], parts: [] };
    this.match = -1;
    this.#lay();
    this.#watch();
    this.querySelector("[data-pages]")?.remove();
    this.classList.add("reader-live");
    if (this.find) this.#look(Number(this.dataset.match));
  }

  disconnectedCallback() {
    this.observer?.disconnect();
    document.removeEventListener("wrap", this.relay);
  }

  // The one part that the page came with becomes one of many.
  #lay() {
    const own = this.scroller.querySelector(".reader-part");
    const number = Number(own.dataset.number);
    const boxes = [];
    for (let at = 1; at <= this.window.count; at++) boxes.push(at === number ? own : this.#box(at));
    this.#estimate(own);
    this.scroller.replaceChildren(...boxes);
    this.boxes = boxes;
    own.classList.add("reader-filled");
    this.window.end(number, true);
    this.window.look(number, number);
    if (number > 1) this.#show(own);
  }

  #box(number) {
    const box = document.createElement("div");
    box.className = "reader-part";
    box.dir = "auto";
    box.dataset.number = number;
    return box;
  }

  // An unseen part is taken to be as high as one that is seen.
  #estimate(box) {
    const height = box.getBoundingClientRect().height;
    if (height) this.scroller.style.setProperty("--part-height", `${Math.round(height)}px`);
  }

  #watch() {
    const options = { root: this.scroller, rootMargin: "50% 0px" };
    this.observer = new IntersectionObserver((entries) => this.#moved(entries), options);
    for (const box of this.boxes) this.observer.observe(box);
    this.relay = () => this.#wrapped();
    document.addEventListener("wrap", this.relay);
    this.addEventListener("submit", (event) => this.#submitted(event));
    this.addEventListener("click", (event) => this.#clicked(event));
    this.addEventListener("keydown", (event) => this.#pressed(event));
  }

  #moved(entries) {
    for (const { target, isIntersecting } of entries) {
      const number = Number(target.dataset.number);
      if (isIntersecting) this.seen.add(number);
      else this.seen.delete(number);
    }
    if (!this.seen.size) return;
    this.window.look(Math.min(...this.seen), Math.max(...this.seen));
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.#fill(), SETTLED_MS);
  }

  // One part a frame comes or goes.
  #fill() {
    for (const number of this.window.drop()) this.#empty(this.boxes[number - 1]);
    for (let number = this.window.next(); number !== null; number = this.window.next()) {
      this.window.begin(number);
      this.#load(number);
    }
  }

  async #load(number) {
    const html = await get(this.#address(number));
    await new Promise(requestAnimationFrame);
    const isFilled = html !== null && this.window.wants(number) && this.isConnected;
    this.window.end(number, isFilled);
    if (isFilled) this.#put(number, html);
    if (html === null) setTimeout(() => this.#fill(), AGAIN_MS);
    else this.#fill();
  }

  #address(number) {
    const query = new URLSearchParams();
    if (this.find) query.set("find", this.find);
    if (this.dataset.hex !== undefined) query.set("hex", "1");
    return `${this.dataset.partUrl.replace(/0$/, number)}?${query}`;
  }

  #put(number, html) {
    const box = this.boxes[number - 1];
    box.replaceChildren(...parse(html).body.childNodes);
    box.classList.add("reader-filled");
    box.style.removeProperty("block-size");
    if (this.found.parts[this.match] === number) this.#light();
  }

  // It stays as high as it was.
  #empty(box) {
    box.style.blockSize = `${box.getBoundingClientRect().height}px`;
    box.classList.remove("reader-filled");
    box.replaceChildren();
  }

  #wrapped() {
    for (const box of this.boxes) box.style.removeProperty("block-size");
    const filled = this.scroller.querySelector(".reader-filled");
    if (filled) this.#estimate(filled);
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
    for (const number of this.window.clear()) this.#empty(this.boxes[number - 1]);
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
    this.#tell(answer === null ? "could not be searched" : "");
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
    const place = `${(this.match + 1).toLocaleString("en")} of ${count}${more ? "+" : ""}`;
    const said = at.length ? place : "not found";
    this.querySelector("[data-found]").textContent = problem || (this.find ? said : "");
  }

  // Goes to the part with the match; its mark lights up as soon as it is there.
  #reach() {
    const box = this.boxes[this.found.parts[this.match] - 1];
    if (box.classList.contains("reader-filled") && this.#light()) return;
    this.#show(box);
  }

  #show(box) {
    this.scroller.scrollTop += box.getBoundingClientRect().top - this.scroller.getBoundingClientRect().top;
  }

  #light() {
    for (const lit of this.scroller.querySelectorAll("mark[data-lit]")) lit.removeAttribute("data-lit");
    const mark = this.scroller.querySelector(`mark[data-at="${this.found.at[this.match]}"]`);
    if (!mark) return false;
    mark.setAttribute("data-lit", "");
    const { top, height } = mark.getBoundingClientRect();
    const bounds = this.scroller.getBoundingClientRect();
    if (top < bounds.top || top + height > bounds.bottom) {
      this.scroller.scrollTop += top - bounds.top - bounds.height / 3;
    }
    return true;
  }
}

customElements.define("payload-reader", PayloadReader);
