// What the player shows of a round: what has not happened yet is dimmed and empty, and a response
// grows. The round's own HTML stays where it is, so that nothing jumps when it is whole.

import { gettext } from "../base/i18n.js";
import { shownAt, STAGES, textsAfter } from "./player/timeline.js";
import { Stream } from "./reader/stream.js";

const CALL_WORDS = { future: "", proposed: gettext("asked for"), started: gettext("running"), ended: "" };

export class Screen {
  #document;
  #stream = null;

  constructor(document) {
    this.#document = document;
  }

  // The step at `index`, of its response the first `heard` pieces; answers what is now.
  show({ timeline, steps }, index, heard = null) {
    const shown = shownAt(timeline, steps, index, heard);
    const attempt = timeline.attempts.find(({ number }) => number === shown.attempt);
    const stages = STAGES.map((name) => [this.#stage(name), shown.stages[name]]);
    for (const [stage, tense] of stages) if (stage) set(stage, "tense", tense);
    this.#hear(shown.heard === null ? null : partsAfter(attempt, shown.heard));
    timeline.calls.forEach((call, place) => this.#showCall(call, shown.calls[place]));
    set(this.#round, "replay", shown.waits ? "waiting" : "on");
    this.#markRow(timeline.calls[steps[index].call]?.id);
    return stages.find(([, tense]) => tense === "now")?.[0] ?? this.#document.querySelector("#round .call[data-now]");
  }

  // All of it is there again.
  clear() {
    this.#hear(null);
    for (const element of this.#document.querySelectorAll("#round [data-tense], #round[data-replay]")) {
      for (const name of ["tense", "moment", "now", "replay"]) delete element.dataset[name];
    }
    delete this.#round?.dataset.replay;
    this.#markRow(null);
    for (const word of this.#document.querySelectorAll("#round .call-moment")) word.remove();
  }

  // Shows what has come of the response, or with null the stage's own body.
  #hear(parts) {
    const stage = this.#stage("response");
    const body = stage?.querySelector(".stage-body");
    if (!body) return;
    if (parts === null) {
      this.#stream?.element.remove();
      this.#stream = null;
      delete stage.dataset.streaming;
      return;
    }
    if (!this.#stream?.element.isConnected) this.#stream = new Stream(this.#document);
    if (this.#stream.element.parentElement !== body) body.prepend(this.#stream.element);
    set(stage, "streaming", "");
    this.#stream.show(parts);
  }

  #showCall({ id }, { moment, isNow }) {
    const call = this.#document.getElementById(`span-${id}`);
    if (!call) return;
    set(call, "tense", moment === "future" ? "future" : "past");
    set(call, "moment", moment);
    call.toggleAttribute("data-now", isNow);
    const head = call.querySelector(".call-head") ?? call;
    let word = head.querySelector(".call-moment");
    if (!word) {
      word = this.#document.createElement("span");
      word.className = "call-moment";
      head.prepend(word);
    }
    if (word.textContent !== CALL_WORDS[moment]) word.textContent = CALL_WORDS[moment];
  }

  // In the tree: the call that something happens to.
  #markRow(id) {
    for (const row of this.#document.querySelectorAll(".rounds a[data-played]")) delete row.dataset.played;
    const row = id && this.#document.querySelector(`.rounds a[href*="span=${CSS.escape(id)}"]`);
    if (row) row.dataset.played = "";
  }

  #stage(name) {
    return this.#document.getElementById(`stage-${name}`);
  }

  get #round() {
    return this.#document.getElementById("round");
  }
}

function partsAfter(attempt, count) {
  const texts = textsAfter(attempt, count);
  const named = new Set(attempt.pieces.slice(0, count).map(([, part]) => part));
  return attempt.parts.map((part, place) => ({
    ...part,
    name: named.has(place) ? part.name : "",
    text: texts[place],
  }));
}

function set(element, name, value) {
  if (element.dataset[name] !== value) element.dataset[name] = value;
}
