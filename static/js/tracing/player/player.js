// Plays a trace step by step, and with its recorded times. Where it is, the page's address says.

import { gettext, interpolate } from "../../base/i18n.js";
import { duration } from "../../base/format.js";
import { beatAt, beatsOf, instantBeats, momentsOf, resumeAt } from "./beats.js";
import { placeOf, readPlace } from "../place.js";
import { Reels } from "./reels.js";
import { target } from "../rounds.js";
import { Screen } from "../screen.js";
import { momentAt } from "./scrub.js";
import { find, heardBy, words } from "./timeline.js";

const INSTANT = "instant";
// Browsers count how often an address is changed.
const ADDRESS_MS = 500;
// How long the last beat of a round is seen before the next round.
const REST_MS = 450;

// `page` is what the player moves: `round` (the number that is shown), `rounds`, and `go(address,
// { replace })`, which shows what an address says and calls `arrived` in the end.
export class Player extends EventTarget {
  #document;
  #page;
  #reels;
  #screen;
  #run = null; // { reel, beats, clock, shown, at } while it plays
  #addressAt = -Infinity;
  #sought = 0;
  speed = 1;

  constructor(document, { timelineUrl, page }) {
    super();
    this.#document = document;
    this.#page = page;
    this.#reels = new Reels(timelineUrl);
    this.#screen = new Screen(document);
  }

  get isPlaying() {
    return this.#run !== null;
  }

  // Shows the step of the page's address on the round that the page shows.
  async arrived() {
    const { step, attempt, at } = readPlace(location.search);
    if (step === null) return this.#rest();
    const number = this.#page.round;
    const reel = await this.#reels.of(number);
    if (readPlace(location.search).step !== step || this.#page.round !== number) return;
    const index = reel ? find(reel.steps, step, attempt) : -1;
    if (index === -1) return this.#rest();
    this.#show(reel, index, at === null ? null : heardAt(reel, index, at), null);
  }

  // What was known of a running trace is not all of it any more.
  changed() {
    this.#reels.forget();
    if (!this.isPlaying) return this.arrived();
  }

  // One step on or back: within the round, else into its neighbour.
  async step(by) {
    this.pause();
    const { round, step, attempt, at } = readPlace(location.search);
    const number = round ?? this.#page.round;
    const reel = await this.#reels.of(number);
    const here = reel && step !== null ? find(reel.steps, step, attempt) : -1;
    // From the middle of a response its end is next; at rest a round is before its first step.
    const next = at !== null && by > 0 ? here : here + by;
    if (reel && here === -1 && by > 0) return this.#goTo(number, reel, 0);
    if (reel && here !== -1 && next >= 0 && next < reel.steps.length) return this.#goTo(number, reel, next);
    const neighbour = target(by > 0 ? "next" : "previous", this.#page.rounds, number);
    const other = neighbour === null ? null : await this.#reels.of(neighbour);
    if (other) return this.#goTo(neighbour, other, by > 0 ? 0 : other.steps.length - 1);
  }

  // What was to be seen so many microseconds after a round began; the newest wish wins.
  async seek(number, us, isFinal) {
    this.pause();
    const wish = ++this.#sought;
    const reel = await this.#reels.of(number);
    if (!reel || wish !== this.#sought) return;
    const moment = momentAt(momentsOf(reel.timeline, reel.steps), us);
    const { attempt } = reel.steps[moment.step];
    const last = reel.timeline.attempts.at(-1)?.number;
    const isShown = number === this.#page.round && attempt === (readPlace(location.search).attempt ?? last);
    if (!isShown) return this.#page.go(this.#address(number, reel, moment), { replace: true });
    this.#remember(number, reel, moment, isFinal);
    this.#show(reel, moment.step, moment.heard, null);
  }

  toggle() {
    return this.isPlaying ? this.pause() : this.play();
  }

  // From where the page is; from the beginning if that is the end.
  async play() {
    const { round, step, attempt, at } = readPlace(location.search);
    let number = round ?? this.#page.round;
    let reel = await this.#reels.of(number);
    if (!reel) return;
    let index = step === null ? -1 : find(reel.steps, step, attempt);
    const isEnd = index === reel.steps.length - 1 && number === this.#page.rounds.at(-1);
    if (isEnd) {
      [number, index] = [this.#page.rounds[0], -1];
      reel = await this.#reels.of(number);
      if (!reel) return;
    }
    const from = index === -1 ? 0 : index;
    const heard = at === null || index === -1 ? null : heardAt(reel, index, at);
    await this.#goTo(number, reel, from);
    this.#begin(number, reel, index === -1 ? null : [from, heard]);
  }

  pause() {
    if (!this.isPlaying) return;
    const { number, reel, shown } = this.#run;
    this.#run = null;
    if (shown) this.#remember(number, reel, shown, true);
    this.#tell();
  }

  // Leaves the player: the round as it was recorded.
  leave() {
    this.pause();
    if (readPlace(location.search).step === null) return false;
    this.#page.go(placeOf(location.search, this.#page.round));
    return true;
  }

  setSpeed(speed) {
    this.speed = speed;
    if (!this.isPlaying) return;
    const { number, reel, shown } = this.#run;
    this.#begin(number, reel, shown && [shown.step, shown.heard]);
  }

  #begin(number, reel, from) {
    const beats = this.speed === INSTANT ? instantBeats(reel.steps) : beatsOf(reel.timeline, reel.steps);
    const clock = from ? resumeAt(beats, ...from) : 0;
    this.#run = { number, reel, beats, clock, shown: null, at: performance.now() };
    this.#tell();
    this.#tick(this.#run);
  }

  #tick(run) {
    if (this.#run !== run) return;
    const now = performance.now();
    run.clock += (now - run.at) * (this.speed === INSTANT ? 1 : this.speed);
    run.at = now;
    const place = beatAt(run.beats, run.clock);
    if (place >= 0) this.#play(run, run.beats[place], run.beats[place + 1] ?? null);
    if (run.clock > run.beats.at(-1).play + REST_MS) this.#nextRound(run);
    else requestAnimationFrame(() => this.#tick(run));
  }

  #play(run, beat, next) {
    if (run.shown === beat) return;
    const attempt = run.reel.steps[beat.step].attempt;
    const before = run.shown && run.reel.steps[run.shown.step].attempt;
    const isOther = before !== null && before !== attempt;
    run.shown = beat;
    if (isOther) this.#page.go(this.#address(run.number, run.reel, beat), { replace: true });
    else this.#remember(run.number, run.reel, beat, false);
    this.#show(run.reel, beat.step, beat.heard, next?.waited ?? null);
  }

  async #nextRound(run) {
    const next = target("next", this.#page.rounds, run.number);
    const reel = next === null ? null : await this.#reels.of(next);
    if (this.#run !== run) return;
    if (!reel) return this.pause();
    await this.#page.go(this.#address(next, reel, { step: 0, heard: null }), { replace: true });
    if (this.#run === run) this.#begin(next, reel, null);
  }

  #goTo(number, reel, index) {
    return this.#page.go(this.#address(number, reel, { step: index, heard: null }));
  }

  #address(number, { timeline, steps }, { step, heard }) {
    const { name, attempt } = steps[step];
    const spoken = timeline.attempts.find((one) => one.number === attempt);
    const at = heard === null ? null : Math.floor((spoken.pieces[heard - 1]?.[0] ?? spoken.sent) / 1000);
    const isLast = attempt === timeline.attempts.at(-1)?.number;
    return placeOf(location.search, number, { attempt: isLast ? null : attempt, step: name, at });
  }

  // While it plays, the address follows now and then, and without the middle of a response.
  #remember(number, reel, shown, isFinal) {
    const now = performance.now();
    if (!isFinal && now - this.#addressAt < ADDRESS_MS) return;
    this.#addressAt = now;
    this.#page.note(this.#address(number, reel, isFinal ? shown : { ...shown, heard: null }));
  }

  #show(reel, index, heard, waits) {
    const focus = this.#screen.show(reel, index, heard);
    const { round } = reel.timeline;
    this.#tell({ words: sentence(reel, index, heard), waits, focus, round, at: timeOf(reel, index, heard) / 1000 });
  }

  #rest() {
    this.#screen.clear();
    this.#tell({ words: "", waits: null, focus: null, round: null, at: null });
  }

  #tell(shown = null) {
    this.dispatchEvent(new CustomEvent("change", { detail: shown }));
  }
}

function heardAt({ timeline, steps }, index, at) {
  const { name, attempt } = steps[index];
  if (name !== "response") return null;
  return heardBy(timeline.attempts.find(({ number }) => number === attempt), at * 1000 + 999);
}

function sentence(reel, index, heard) {
  const { timeline, steps } = reel;
  const said = words(timeline, steps[index]);
  const time = duration(timeOf(reel, index, heard) / 1000);
  if (heard === null) return `${said} · ${time}`;
  const { pieces } = timeline.attempts.find(({ number }) => number === steps[index].attempt);
  return `${said} ${interpolate(gettext("%(number)s of %(count)s"), { number: heard, count: pieces.length })} · ${time}`;
}

// Microseconds since the round began.
function timeOf({ timeline, steps }, index, heard) {
  const step = steps[index];
  if (heard === null) return step.at;
  const { pieces, sent } = timeline.attempts.find(({ number }) => number === step.attempt);
  return pieces[heard - 1]?.[0] ?? sent;
}
