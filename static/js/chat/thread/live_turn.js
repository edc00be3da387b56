// What is not finished of a turn: its rounds while they come, and the line below them.

import { duration, stopwatch } from "../../base/format.js";
import { gettext, interpolate } from "../../base/i18n.js";
import { setIcon } from "../../base/icons.js";
import { isOffline } from "../connection/connection.js";
import { makeCard, showElapsed, updateCard } from "../calls/call_card.js";
import { LiveText, PlainText } from "./live_text.js";
import { keepReaderState } from "./reader_state.js";
import { FINAL } from "../connection/turn_state.js";
import { OFFLINE, statusOf } from "../page/status.js";
import { WritingCalls } from "../calls/writing_calls.js";

export class LiveTurn {
  #document;
  #element;
  #rounds = new Map(); // by number: { section, generation, content, reasoning }
  #drawn = null;

  constructor(document, element) {
    this.#document = document;
    this.#element = element;
  }

  get #answer() {
    return this.#element.querySelector(":scope > [data-role=assistant]");
  }

  // A part of the answer: the cards of subagents have turns of their own within.
  #part(selector) {
    return this.#answer.querySelector(`:scope > ${selector}`);
  }

  // The server's HTML is about to take the turn's place. Answers what is to be done when it has: what
  // it has of the live rounds is not live any more.
  giveWay(fresh) {
    const focusAgain = this.#keepReaderState(fresh);
    return () => {
      this.#dropShown();
      focusAgain?.();
      this.#drawn = null;
    };
  }

  #dropShown() {
    const numbers = [...this.#answer.querySelectorAll(":scope > [data-rounds] > [data-round]")];
    const last = Math.max(0, ...numbers.map((round) => Number(round.dataset.round)));
    const over = FINAL.has(this.#answer.dataset.state);
    for (const [number, live] of this.#rounds) {
      if (number <= last || over) this.#drop(number, live);
    }
  }

  #keepReaderState(fresh) {
    let focusAgain = null;
    for (const [number, { section }] of this.#rounds) {
      const round = fresh.querySelector(`[data-rounds] > [data-round="${number}"]`);
      if (round) focusAgain = keepReaderState(this.#document, section, round) ?? focusAgain;
    }
    return focusAgain;
  }

  // Draws what changed of the turn's state. A final state is left to the server's HTML.
  update(turn) {
    if (this.#drawn === turn || FINAL.has(this.#answer.dataset.state)) return;
    this.#drawn = turn;
    if (!FINAL.has(turn.state)) this.#answer.dataset.state = turn.state;
    if (turn.running) this.#updateRunning(turn.running, isWriting(turn));
    const live = this.#part("[data-live]");
    live.toggleAttribute("data-failed", turn.attempt?.state === "failed");
    for (const call of Object.values(turn.calls)) {
      this.#updateCall(call, turn.subagents[call.call]);
    }
  }

  tick(turn, now, isBehind) {
    const line = this.#part("[data-status]");
    if (!line || FINAL.has(turn.state)) return;
    const offline = isOffline();
    const { text, since, kind } = offline ? OFFLINE : statusOf(turn, now, isBehind);
    line.dataset.kind = kind;
    setText(line.querySelector("[data-status-text]"), text);
    setText(line.querySelector("[data-status-time]"), since === null ? "" : stopwatch(now - since));
    const svg = line.querySelector("svg");
    if (!svg.classList.contains(`icon-${kind}`)) setIcon(this.#document, svg, kind);
    if (offline) return;
    for (const call of Object.values(turn.calls)) {
      showElapsed(this.#document.getElementById(`call-${call.call}`), call, now);
    }
  }

  #updateRunning(running, isWritten) {
    if (this.#isShownByServer(running.round)) return;
    const live = this.#round(running.round);
    const { content, calls } = running;
    const isShorter = live.length > content.text.length || live.written > calls.text.length;
    if (live.generation !== running.id || isShorter) {
      live.generation = running.id;
      live.thinksSince = live.thoughtMs = null;
      live.content.clear();
      live.reasoning.clear();
      live.writing.clear();
    }
    live.length = content.text.length;
    live.written = calls.text.length;
    if (isWritten) live.writing.update(calls.text);
    else live.writing.clear();
    live.cards.hidden = !isWritten || !calls.text;
    live.content.update(running.content);
    live.reasoning.update(running.reasoning);
    live.details.hidden = !running.reasoning.text;
    this.#showThought(live, running);
  }

  // The duration is known to who saw it begin; the server's HTML has the measured one.
  #showThought(live, { reasoning, content }) {
    const now = performance.now();
    if (reasoning.text && !content.text) live.thinksSince ??= now;
    if (content.text && live.thinksSince !== null) live.thoughtMs ??= now - live.thinksSince;
    setText(live.thought, thought(content.text, live.thoughtMs));
  }

  #updateCall(call, subagent) {
    let card = this.#document.getElementById(`call-${call.call}`);
    if (!card) {
      if (this.#isShownByServer(call.round)) return;
      const { calls } = this.#round(call.round);
      card = makeCard(this.#document, call);
      calls.hidden = false;
      calls.append(card);
    }
    updateCard(this.#document, card, call, subagent);
  }

  #isShownByServer(round) {
    return this.#part(`[data-rounds] > [data-round="${round}"]`) !== null;
  }

  #round(number) {
    const known = this.#rounds.get(number);
    if (known) return known;
    const template = this.#document.getElementById("live-template");
    const section = template.content.cloneNode(true).firstElementChild;
    this.#part("[data-live]").append(section);
    const find = (name) => section.querySelector(`[data-live-${name}]`);
    const live = {
      section,
      generation: null,
      length: 0,
      written: 0,
      thinksSince: null,
      thoughtMs: null,
      content: new LiveText(this.#document, find("content")),
      reasoning: new PlainText(this.#document, find("reasoning-text")),
      details: find("reasoning"),
      thought: find("thought"),
      calls: find("calls"),
      cards: find("writing"),
      writing: new WritingCalls(this.#document, find("writing")),
    };
    this.#rounds.set(number, live);
    return live;
  }

  #drop(number, live) {
    live.section.remove();
    this.#rounds.delete(number);
  }
}

// Whether what the model writes of calls is all that there is of them.
function isWriting({ running, attempt, calls }) {
  const isOver = attempt !== null && attempt.state !== "running";
  return !isOver && !Object.values(calls).some(({ round }) => round === running.round);
}

function thought(isOver, ms) {
  if (!isOver) return gettext("Thinking");
  return ms === null ? gettext("Thought") : interpolate(gettext("Thought for %(time)s"), { time: duration(ms) });
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
