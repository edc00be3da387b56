// Gaps in the thread: links that stand for turns which are not on the page. What one comes near is
// fetched, and what is read stays where it is.

import { gettext } from "../../base/i18n.js";
import { toast } from "../../base/toast.js";
import { Gone } from "../connection/server.js";

// How far beyond the visible part a gap is fetched.
const AHEAD = "1200px 0px";

export class Gaps {
  #document;
  #server;
  #thread;
  #follower;
  #page;
  #announce;
  #scroller;
  #isWatching = false;
  #running = new Map();

  constructor({ document, page, server, thread, follower, announce }) {
    this.#document = document;
    this.#page = page;
    this.#server = server;
    this.#thread = thread;
    this.#follower = follower;
    this.#announce = announce;
    this.#scroller = document.getElementById("scroll");
    page.addEventListener("click", (event) => this.#click(event));
  }

  // Those nearest to the end first.
  get all() {
    return [...this.#scroller.querySelectorAll("[data-gap]")].reverse();
  }

  // To call when the page shows its first place: from then on a gap is filled as it comes near.
  watch() {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const near = (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) this.fill(target);
    };
    const observer = new IntersectionObserver(near, { root: this.#scroller, rootMargin: AHEAD });
    const observe = () => this.all.forEach((gap) => observer.observe(gap));
    new MutationObserver(observe).observe(this.#document.getElementById("thread"), { childList: true });
    observe();
  }

  // Resolves to "filled"; to "absent" if the turn `at` is not in the gap; to "failed", which the
  // person is told.
  fill(gap, at = null) {
    if (!this.#running.has(gap)) {
      const filling = this.#fill(gap, at).finally(() => this.#running.delete(gap));
      this.#running.set(gap, filling);
    }
    return this.#running.get(gap);
  }

  async #fill(gap, at) {
    try {
      this.#show(gap, await this.#server.getUrl(this.#url(gap, at)));
      return "filled";
    } catch (error) {
      if (at !== null && error instanceof Gone) return "absent";
      toast(this.#document, gettext("Messages could not be loaded. Try again in a moment."));
      return "failed";
    }
  }

  #url(gap, at) {
    const { after, before } = gap.dataset;
    const from = this.#isAbove(gap) ? "end" : "start";
    const named = Object.entries({ after, before, from, at }).filter(([, value]) => value);
    const { conversation } = this.#page.dataset;
    return `${this.#server.url("thread", conversation)}?${new URLSearchParams(named)}`;
  }

  // What follows a gap above the middle stays in its place.
  #show(gap, html) {
    const hasFocus = gap.contains(this.#document.activeElement);
    const anchor = this.#isAbove(gap) ? gap.nextElementSibling : null;
    const before = anchor?.getBoundingClientRect().top;
    this.#thread.fillGap(gap, html);
    if (anchor) this.#scroller.scrollTop += anchor.getBoundingClientRect().top - before;
    this.#follower.grew(false);
    if (hasFocus) this.#scroller.focus({ preventScroll: true });
  }

  #isAbove(gap) {
    const { top, height } = this.#scroller.getBoundingClientRect();
    return gap.getBoundingClientRect().top < top + height / 2;
  }

  async #click(event) {
    const link = event.target.closest("[data-gap] a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const outcome = await this.fill(link.closest("[data-gap]"));
    if (outcome === "filled") this.#announce(gettext("More messages are shown."));
  }
}
