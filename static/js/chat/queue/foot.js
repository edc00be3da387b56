// Below the last turn: the messages that wait in line, and deletions that can be undone. All of it
// is the server's HTML, fetched again when an event tells of a change; a change that a person makes
// answers it at once.

import { gettext, interpolate } from "../../base/i18n.js";
import { OnDemand } from "../../base/on_demand.js";
import { replaceContents } from "../../base/partials.js";
import { toast } from "../../base/toast.js";
import { Gone, problemOf, Refused } from "../connection/server.js";

// A browser's timers take no more.
const MAX_TIMER_MS = 2 ** 31 - 1;
const KEYS = { e: "edit", p: "put", s: "now", Delete: "withdraw", Backspace: "withdraw" };
const MOVES = { ArrowUp: "up", ArrowDown: "down" };

export class Foot extends EventTarget {
  #document;
  #element;
  #server;
  #editors;
  #expiry = null;

  constructor(document, element, server) {
    super();
    this.#document = document;
    this.#element = element;
    this.#server = server;
    this.#editors = new OnDemand(() => import("./editors.js"), ({ Editors }) => this.#makeEditors(Editors));
    const page = document.getElementById("chat");
    page.addEventListener("click", (event) => this.#click(event));
    element.addEventListener("keydown", (event) => this.#key(event));
    this.#watchExpiry();
  }

  #makeEditors(Editors) {
    const editors = new Editors(this.#document, this.#element, (id, text) => this.#save(id, text));
    editors.addEventListener("lost", ({ detail }) => this.#tell("lost", detail));
    return editors;
  }

  // The ids of the turns in line, in order.
  get queued() {
    return this.#items.map((item) => item.dataset.queued);
  }

  // Why no further message may wait, or "".
  get refusal() {
    const max = Number(this.#element.querySelector("[data-max]")?.dataset.max ?? Infinity);
    if (this.#items.length < max) return "";
    const sentence = gettext("%(count)s messages are waiting in this conversation, which is the limit. Wait for an answer, or withdraw one of them.");
    return interpolate(sentence, { count: max });
  }

  show(html) {
    const focus = this.#focus();
    const isNear = this.#element.contains(this.#document.activeElement);
    const texts = this.#editors.now?.open() ?? [];
    replaceContents(this.#element, html);
    this.#editors.now?.keep(texts);
    if (isNear) this.#focusAgain(focus);
    this.#watchExpiry();
    this.#tell("shown");
  }

  // To the first message in line. False if there is none.
  goTo() {
    const first = this.#items[0]?.querySelector("button:not(:disabled)");
    first?.focus();
    return Boolean(first);
  }

  // A change that failed is told in a toast. True if it was made.
  async change(id, path, fields = {}) {
    try {
      this.show(await this.#server.change(`${this.#server.url("turn", id)}${path}`, fields));
      return true;
    } catch (error) {
      this.#failed(error);
      return false;
    }
  }

  get #items() {
    return [...this.#element.querySelectorAll("[data-queued]")];
  }

  #click(event) {
    const button = event.target.closest("[data-queue-act], [data-restore], [data-delete-turn]");
    if (!button || button.disabled) return;
    if (button.dataset.restore) this.#restore(button.dataset.restore);
    else if (button.dataset.deleteTurn) this.#delete(button.dataset.deleteTurn);
    else this.#act(button.closest("[data-queued]"), button.dataset.queueAct);
  }

  #key(event) {
    const item = event.target.closest("[data-queued]");
    if (!item || event.target.closest("textarea") || event.ctrlKey || event.metaKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = event.altKey ? MOVES[key] : KEYS[key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    this.#act(item, act === "put" ? this.#putOf(item) : act);
  }

  #putOf(item) {
    return item.querySelector("[data-queue-act=wait]") ? "wait" : "steer";
  }

  #act(item, act) {
    if (!item.querySelector(`[data-queue-act=${act}]:not(:disabled)`)) return;
    const { queued: id, before, after } = item.dataset;
    const acts = {
      edit: () => this.#edit(item),
      steer: () => this.change(id, "queue/steer"),
      wait: () => this.change(id, "queue/steer", { wait: "1" }),
      up: () => this.change(id, "queue/move", { before }),
      down: () => this.change(id, "queue/move", after ? { before: after } : {}),
      now: () => this.change(id, "queue/now"),
      withdraw: () => this.#withdraw(item),
    };
    acts[act]();
  }

  async #edit(item) {
    try {
      const text = await this.#server.get("message", item.dataset.message);
      this.#editors.use((it) => it.begin(item, text));
    } catch (error) {
      this.#failed(error);
    }
  }

  // Answers the sentence of a refusal, "" if it is saved.
  async #save(id, text) {
    try {
      const url = `${this.#server.url("turn", id)}queue/edit`;
      const html = await this.#server.change(url, { text });
      this.#editors.now.end(id);
      this.show(html);
      return "";
    } catch (error) {
      return sentenceOf(error);
    }
  }

  // The text goes back into the composer if that is empty; either way it can be undone.
  async #withdraw(item) {
    const { queued: id, message } = item.dataset;
    const attachments = item.querySelector("[data-attachments]");
    let text = null;
    try {
      text = message ? await this.#server.get("message", message) : null;
    } catch (error) {
      this.#failed(error);
      return;
    }
    const withdrawn = { text, attachments, isTaken: false };
    if (!(await this.change(id, "queue/withdraw"))) return;
    this.#tell("withdrawn", withdrawn);
    if (!withdrawn.isTaken) this.#offerUndo(id, gettext("Message withdrawn."));
  }

  async #delete(id) {
    if (!(await this.change(id, "delete"))) return;
    this.#tell("deleted", id);
    this.#offerUndo(id, gettext("Message deleted, with what followed it."));
  }

  async #restore(id) {
    if (await this.change(id, "restore")) this.#tell("restored", id);
  }

  #offerUndo(id, sentence) {
    toast(this.#document, sentence, { label: gettext("Undo"), act: () => this.#restore(id) });
  }

  #failed(error) {
    toast(this.#document, sentenceOf(error));
    if (error instanceof Refused || error instanceof Gone) this.#tell("outdated");
  }

  // The focus is on a button of a message, which may move.
  #focus() {
    const active = this.#document.activeElement;
    const item = active?.closest?.("[data-queued]");
    if (!item || !this.#element.contains(item)) return null;
    const { selectionStart: start, selectionEnd: end } = active;
    const caret = active.localName === "textarea" ? [start, end] : null;
    const act = active.dataset.queueAct ?? null;
    return { id: item.id, act, caret, at: this.#items.indexOf(item) };
  }

  #focusAgain(focus) {
    if (!focus) return;
    const active = this.#document.activeElement;
    const item = this.#document.getElementById(focus.id);
    if (item?.contains(active) && !active.disabled) return;
    const field = focus.caret && item?.querySelector("textarea");
    if (field) {
      field.focus();
      field.setSelectionRange(...focus.caret);
      return;
    }
    const place = item ?? this.#items[Math.min(focus.at, this.#items.length - 1)];
    const same = place?.querySelector(`[data-queue-act="${focus.act}"]:not(:disabled)`);
    (same ?? place?.querySelector("button:not(:disabled)"))?.focus();
    if (!place) this.#tell("emptied");
  }

  // What cannot be undone any more goes.
  #watchExpiry() {
    clearTimeout(this.#expiry);
    const lines = [...this.#element.querySelectorAll("[data-until]")];
    const times = lines.map((line) => Date.parse(line.dataset.until));
    if (times.length === 0) return;
    const wait = Math.min(MAX_TIMER_MS, Math.max(0, Math.min(...times) - Date.now()));
    this.#expiry = setTimeout(() => {
      for (const line of lines) if (Date.parse(line.dataset.until) <= Date.now()) line.remove();
      this.#watchExpiry();
    }, wait + 50);
  }

  #tell(type, detail = null) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

function sentenceOf(error) {
  return problemOf(error, gettext("No connection. Nothing was changed; try again in a moment."));
}
