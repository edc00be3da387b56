// The scrubber: a slider over the time of the turn, and the playhead on the bars of the waterfall.

import { gettext, interpolate } from "../base/i18n.js";
import { readRounds, roundAt, share } from "./player/scrub.js";

// The pointer rests for so long before another round is fetched.
const REST_MS = 120;
const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };

export class Scrubber {
  #document;
  #page;
  #player;
  #resting = null;
  #shown = { round: null, at: null, words: "" };

  // `page.round` is the number of the round that the page shows; `step(name)` goes to another one.
  constructor(document, player, page) {
    this.#document = document;
    this.#player = player;
    this.#page = page;
    player.addEventListener("change", ({ detail }) => {
      if (detail) this.#shown = detail;
      this.draw();
    });
    document.addEventListener("input", (event) => this.#on(event, () => this.#moved(false)));
    document.addEventListener("change", (event) => this.#on(event, () => this.#moved(true)));
    document.addEventListener("pointerdown", (event) => this.#on(event, () => this.#drag(true)));
    for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => this.#drag(false));
    document.addEventListener("keydown", (event) => this.#on(event, () => this.#pressed(event)), true);
  }

  // Everything again: the server's HTML may have come anew.
  draw() {
    const slider = this.#slider;
    if (!slider) return;
    const rounds = readRounds(slider.dataset.rounds);
    const number = this.#shown.round ?? this.#page.round;
    const round = rounds.find((one) => one.number === number) ?? roundAt(rounds, 0);
    if (!round) return;
    const at = round.start + (this.#shown.at ?? 0);
    if (slider.dataset.dragging === undefined) slider.value = at;
    const words = this.#shown.words ? `, ${this.#shown.words}` : "";
    slider.setAttribute("aria-valuetext", interpolate(gettext("Round %(number)s of %(last)s"), { number, last: rounds.at(-1).number }) + words);
    this.#drawPlayhead(at, round, Number(slider.max));
  }

  #drawPlayhead(at, round, length) {
    const trace = this.#document.getElementById("trace");
    trace.toggleAttribute("data-playhead", this.#shown.at !== null);
    trace.style.setProperty("--turn-at", share(at, { start: 0, end: length }));
    trace.style.setProperty("--round-at", share(at, round));
  }

  #on({ target }, deed) {
    if (target === this.#slider) deed();
  }

  // The round in the page follows at once, another one when the pointer rests.
  #moved(isFinal) {
    clearTimeout(this.#resting);
    const ms = Number(this.#slider.value);
    const round = roundAt(readRounds(this.#slider.dataset.rounds), ms);
    if (!round) return;
    const seek = () => this.#player.seek(round.number, Math.max(0, ms - round.start) * 1000, isFinal);
    if (isFinal || round.number === this.#page.round) seek();
    else this.#resting = setTimeout(seek, REST_MS);
  }

  #drag(isOn) {
    const slider = this.#slider;
    if (!slider) return;
    if (isOn) slider.dataset.dragging = "";
    else delete slider.dataset.dragging;
  }

  #pressed(event) {
    const { key } = event;
    if (STEPS[key]) this.#player.step(STEPS[key]);
    else if (key === "Home" || key === "End") this.#goTo(key === "Home" ? 0 : Number(this.#slider.max));
    else if (key === "PageUp" || key === "PageDown") this.#page.step(key === "PageUp" ? "next" : "previous");
    else return;
    event.preventDefault();
  }

  #goTo(ms) {
    this.#slider.value = ms;
    this.#moved(true);
  }

  get #slider() {
    return this.#document.getElementById("scrubber");
  }
}
