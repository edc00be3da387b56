// The thread on the page: turns, gaps between them, and messages that are not accepted yet.

import { gettext } from "../../base/i18n.js";
import { parseHTML } from "../../base/morph.js";
import { showAttachments } from "../attachments/shown.js";
import { isBeside, openTurns } from "../connection/state.js";
import { TurnView } from "./turn_view.js";

const UNSENT = {
  sending: gettext("Sending …"),
  waiting: gettext("Not sent yet. It is sent when the connection is back."),
};

export class Thread {
  #document;
  #element;
  #server;
  #scroller;
  #views = new Map();
  #unsent = new Map();

  constructor(document, element, server) {
    this.#document = document;
    this.#server = server;
    this.#element = element;
    this.#scroller = element.parentElement;
    this.#adopt();
  }

  has(id) {
    return this.#views.has(id);
  }

  shownState(id) {
    return this.#views.get(id)?.shownState ?? null;
  }

  // The HTML of one turn, new or again. One that is on another branch by now is not shown.
  showTurn(id, html) {
    const fresh = parseHTML(this.#document, html).querySelector("[data-turn]");
    if (!fresh) return;
    if (fresh.dataset.elsewhere !== undefined) {
      if (this.has(id)) this.#remove(this.#views.get(id).element);
      return;
    }
    this.#view(id).replace(fresh);
    this.#removeRetried([fresh]);
  }

  // The HTML of the last turns: those that are missing here come, the others are brought up to
  // date, earlier ones stay.
  showThread(html) {
    const fresh = parseHTML(this.#document, html);
    const turns = [...fresh.children].filter((child) => child.matches("[data-turn]"));
    const ids = turns.map((turn) => turn.dataset.turn);
    const before = this.#shown.filter((id) => !ids.includes(id)).at(-1);
    const isApart = before && ids.length > 0 && !this.has(ids[0]);
    for (const turn of turns) this.#view(turn.dataset.turn).replace(turn);
    this.#removeRetried(turns);
    this.#sort(ids);
    if (isApart) this.#separate(before, ids[0], fresh.querySelector("[data-gap]"));
  }

  // The HTML of another branch, on which `turn` is, in place of all that is shown. What stands on both
  // stays as it is, and where the branch begins stays where the reader sees it.
  showBranch(html, turn) {
    const fresh = parseHTML(this.#document, html);
    const ids = new Set([...fresh.querySelectorAll(":scope > [data-turn]")].map((one) => one.dataset.turn));
    const left = this.#shown.find((id) => !ids.has(id));
    const before = left && this.#views.get(left).element.getBoundingClientRect().top;
    this.comeBack();
    for (const child of [...this.#element.children]) {
      if (!child.matches(".unsent") && !ids.has(child.dataset.turn)) this.#remove(child);
    }
    const end = this.#element.querySelector(".unsent");
    for (const child of [...fresh.children]) this.#element.insertBefore(this.#kept(child), end);
    this.#adopt();
    const begins = this.#views.get(turn)?.element;
    if (before === undefined || !begins) return;
    this.#scroller.scrollTop += begins.getBoundingClientRect().top - before;
  }

  #kept(child) {
    const known = this.#views.get(child.dataset.turn);
    known?.replace(child);
    return known?.element ?? child;
  }

  #remove(child) {
    this.#views.delete(child.dataset.turn);
    child.remove();
  }

  // Hides what stands from this turn on: a message takes its place and is not accepted yet.
  leaveFrom(turn) {
    const first = this.#shown.indexOf(turn);
    if (first < 0) return;
    for (const id of this.#shown.slice(first)) this.#views.get(id).element.classList.add("left");
  }

  comeBack() {
    for (const { element } of this.#views.values()) element.classList.remove("left");
  }

  // There may be turns between those that were shown and those that came.
  #separate(before, after, gap) {
    if (!gap) return;
    gap.dataset.after = before;
    this.#element.insertBefore(gap, this.#views.get(after).element);
  }

  // A turn that was tried again gives its place to the attempt that followed.
  #removeRetried(turns) {
    for (const { dataset } of turns) {
      this.#views.get(dataset.retryOf)?.element.remove();
      this.#views.delete(dataset.retryOf);
    }
  }

  // Turns that were deleted.
  remove(ids) {
    for (const id of ids) {
      this.#views.get(id)?.element.remove();
      this.#views.delete(id);
    }
  }

  // A turn that was deleted with all that follow it.
  removeFrom(id) {
    const ids = this.#shown;
    if (ids.includes(id)) this.remove(ids.slice(ids.indexOf(id)));
  }

  // Turns in the place of a gap, with gaps of their own.
  fillGap(gap, html) {
    const fresh = parseHTML(this.#document, html);
    for (const turn of [...fresh.children]) if (this.has(turn.dataset.turn)) turn.remove();
    gap.replaceWith(fresh);
    this.#adopt();
  }

  draw(state, now) {
    for (const id of state.order) {
      if (this.#views.has(id)) this.#views.get(id).update(state.turns[id]);
    }
    this.tick(state, now);
  }

  tick(state, now) {
    const [first, ...others] = openTurns(state);
    if (!first) return;
    // A turn of another branch may run before it.
    const isBehind = state.elsewhere.length > 0;
    this.#views.get(first.id)?.tick(first, now, isBehind);
    for (const turn of others) {
      this.#views.get(turn.id)?.tick(turn, now, isBehind || !isBeside(turn, first));
    }
  }

  // Unsent messages

  showUnsent(message, isConnected) {
    const element = this.#unsent.get(message.key) ?? this.#makeUnsent(message);
    const state = message.error ?? UNSENT[isConnected ? "sending" : "waiting"];
    element.querySelector("[data-unsent-state]").textContent = state;
    element.querySelector("[data-unsent-actions]").hidden = !message.error;
    element.toggleAttribute("data-rejected", Boolean(message.error));
  }

  removeUnsent(key) {
    this.#unsent.get(key)?.remove();
    this.#unsent.delete(key);
  }

  // The message has become a turn: shown at once, in the place where it was.
  promote(key, turn) {
    const unsent = this.#unsent.get(key);
    if (unsent && !this.has(turn)) {
      const text = unsent.querySelector("[data-text]").textContent;
      const { element } = this.#view(turn);
      element.querySelector("[data-text]").textContent = text;
      element.querySelector("[data-attachments]").replaceWith(
        unsent.querySelector("[data-attachments]"),
      );
    }
    this.removeUnsent(key);
  }

  #makeUnsent(message) {
    this.#document.getElementById("empty")?.remove();
    const template = this.#document.getElementById("unsent-template");
    const element = template.content.cloneNode(true).firstElementChild;
    element.querySelector("[data-text]").textContent = message.text;
    const list = element.querySelector("[data-attachments]");
    showAttachments(this.#document, list, message.attachments ?? [], this.#server);
    element.dataset.key = message.key;
    this.#element.append(element);
    this.#unsent.set(message.key, element);
    return element;
  }

  // Turns that came late stand at the end; this puts them where they belong.
  #sort(ids) {
    const wanted = new Set(ids);
    if (this.#shown.filter((id) => wanted.has(id)).join() === ids.join()) return;
    for (const id of ids) this.#element.insertBefore(this.#views.get(id).element, this.#end);
  }

  // The ids of the turns on the page, in order; those within are of subagents.
  get #shown() {
    const turns = this.#element.querySelectorAll(":scope > [data-turn]");
    return [...turns].map((turn) => turn.dataset.turn);
  }

  // What stands behind the last turn: the line, and messages that are not accepted yet.
  get #end() {
    return this.#element.querySelector(":scope > :is(.thread-foot, .unsent)");
  }

  #adopt() {
    for (const element of this.#element.querySelectorAll(":scope > [data-turn]")) {
      const id = element.dataset.turn;
      if (!this.#views.has(id)) this.#views.set(id, new TurnView(this.#document, element));
    }
  }

  #view(id) {
    const known = this.#views.get(id);
    if (known) return known;
    this.#document.getElementById("empty")?.remove();
    const template = this.#document.getElementById("turn-template");
    const element = template.content.cloneNode(true).firstElementChild;
    element.id = `turn-${id}`;
    element.dataset.turn = id;
    this.#element.insertBefore(element, this.#end);
    const view = new TurnView(this.#document, element);
    this.#views.set(id, view);
    return view;
  }
}
