// The stepper's buttons for what a script alone can do: step, play, speed.

import { gettext, interpolate } from "../base/i18n.js";
import { setIcon } from "../base/icons.js";
import { duration } from "../base/format.js";

const SPEED_KEY = "trace-speed";

export class Controls {
  #document;
  #player;
  #storage;
  #shown = { words: "", waits: null };

  constructor(document, player, storage) {
    this.#document = document;
    this.#player = player;
    this.#storage = storage;
    player.addEventListener("change", ({ detail }) => {
      if (detail) this.#shown = detail;
      this.draw();
      if (detail?.focus) bringIntoView(detail.focus);
    });
    document.addEventListener("change", ({ target }) => {
      if (target.id === "speed") this.#choose(target.value);
    });
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.#set(isCalm ? "instant" : (storage.getItem(SPEED_KEY) ?? "1"));
  }

  // The next speed up or down.
  change(by) {
    const options = [...this.#select.options].map(({ value }) => value);
    const value = options[options.indexOf(String(this.#player.speed)) + by];
    if (value) this.#choose(value);
  }

  // Everything again: the server's HTML of the stepper may have come anew.
  draw() {
    const { isPlaying, speed } = this.#player;
    const play = this.#document.getElementById("play");
    if (!play) return;
    play.setAttribute("aria-label", isPlaying ? gettext("Pause") : gettext("Play"));
    play.title = isPlaying ? gettext("Pause (space)") : gettext("Play (space)");
    setIcon(this.#document, play.querySelector("svg"), isPlaying ? "pause" : "play");
    this.#select.value = String(speed);
    const { words, waits } = this.#shown;
    const place = this.#document.getElementById("moment");
    place.setAttribute("aria-live", isPlaying ? "off" : "polite");
    const text = waits === null ? words : `${words} · ${interpolate(gettext("waited %(time)s"), { time: duration(waits) })}`;
    if (place.textContent !== text) place.textContent = text;
    place.toggleAttribute("data-waits", waits !== null);
  }

  #choose(value) {
    this.#storage.setItem(SPEED_KEY, value);
    this.#set(value);
    this.draw();
  }

  #set(value) {
    const known = [...(this.#select?.options ?? [])].some((option) => option.value === value);
    this.#player.setSpeed(value === "instant" ? value : Number(known ? value : 1));
  }

  get #select() {
    return this.#document.getElementById("speed");
  }
}

// Only if it is out of sight: on a phone the stages stand below each other.
function bringIntoView(element) {
  const { top, bottom } = element.getBoundingClientRect();
  if (bottom < 120 || top > innerHeight - 120) element.scrollIntoView({ block: "start" });
}
