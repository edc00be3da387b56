// The composer: Enter sends, Shift+Enter breaks the line, drafts survive a reload. A message has a
// text, attachments, or both; it is not sent while an attachment has a problem.
//
// Dispatches `typed` when its text has changed, `send` with { text, attachments }, `refused` with a
// sentence.

import { isComposing } from "../../base/composing.js";
import { sendsOn } from "../thread/typing.js";
import { Draft } from "./draft.js";
import { lastEditable } from "./last_message.js";
import { mentioned } from "./mentioned.js";
import { problemOfLength } from "./message_length.js";

const SIZES_ITSELF = CSS.supports("field-sizing", "content");
const LONG_CHARACTERS = 5_000;
// More than the style sheet allows.
const MOST_HEIGHT = "100vh";

export class Composer extends EventTarget {
  #form;
  #field;
  #send;
  #draft;
  #attachments;
  #model;
  #told;
  // What is suggested while one types, with keys of its own; null until there is some.
  suggestions = null;
  // Each answers why nothing may be sent now, or "".
  refusals = [];

  // `model()` returns the chosen model: its name, and its window in tokens or 0.
  constructor(form, storage, attachments, model) {
    super();
    this.#form = form;
    this.#field = form.elements.namedItem("message");
    this.#send = form.querySelector("[type=submit]");
    this.#draft = new Draft(storage);
    this.#attachments = attachments;
    this.#model = model;
    this.#told = form.ownerDocument.getElementById("composer-problem");
    attachments.addEventListener("change", () => this.#update());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#field.addEventListener("keydown", (event) => this.#pressed(event));
    this.#field.addEventListener("input", () => this.#typed());
    addEventListener("pagehide", () => this.#draft.flush());
    form.ownerDocument.addEventListener("visibilitychange", () => this.#draft.flush());
  }

  get text() {
    return this.#field.value;
  }

  // "ctrl_enter", or undefined for Enter.
  get sendingKey() {
    return this.#field.dataset.sendingKey;
  }

  // Drafts are stored by conversation. The server gives one to a fork. Returns whether the text is
  // the person's own.
  useDraft(key) {
    const kept = this.#draft.use(key);
    if (!this.#field.value) this.#set(kept ?? this.#field.dataset.draft ?? "");
    else this.#typed();
    return kept !== null || this.#field.value !== this.#field.dataset.draft;
  }

  moveDraft(key) {
    this.#draft.move(key);
    this.#typed();
  }

  // Replaces the text.
  show(text) {
    this.#set(text);
  }

  // Inserts a text to be edited, before the text that is there.
  restore(text) {
    this.#set(this.#field.value ? `${text}\n${this.#field.value}` : text);
    this.focus();
  }

  // Inserts a chosen text at the cursor, on a line of its own, and puts the cursor behind it.
  take(text) {
    if (!text) return;
    const { value, selectionStart, selectionEnd } = this.#field;
    const before = value.slice(0, selectionStart);
    const gap = before && !before.endsWith("\n") ? "\n" : "";
    this.replace(gap + text, selectionStart, selectionEnd);
  }

  // Inserts a path or a name at the cursor.
  mention(path) {
    const { value, selectionStart, selectionEnd } = this.#field;
    const { text, caret } = mentioned(value, selectionStart, selectionEnd, path);
    this.#set(text);
    this.focus();
    this.#field.setSelectionRange(caret, caret);
  }

  // Inserts spoken words at the cursor, apart from the word before it.
  insertWords(text) {
    const before = this.#field.value.slice(0, this.#field.selectionStart);
    const gap = /[\w.,;:!?]$/.test(before) && /^\w/.test(text) ? " " : "";
    this.replace(gap + text);
  }

  // Puts a text in place of these characters, by default of what is selected.
  replace(text, start = this.#field.selectionStart, end = this.#field.selectionEnd) {
    this.#field.setRangeText(text, start, end, "end");
    this.#typed();
  }

  // As the button *Edit* of the last message does, if there is one.
  editLast() {
    const button = lastEditable(this.#form.ownerDocument);
    button?.click();
    return button !== null;
  }

  // Disables sending; the text can still be selected and copied.
  lock() {
    this.#field.readOnly = true;
    this.#update();
  }

  focus() {
    this.#field.focus();
  }

  #pressed(event) {
    if (this.suggestions?.press(event)) return;
    if (sendsOn(event, this.sendingKey)) {
      event.preventDefault();
      this.#submit();
    } else if (isPlainUp(event) && this.isEmpty && this.editLast()) {
      event.preventDefault();
    }
  }

  #submit() {
    const text = this.#field.value;
    if (this.isEmpty || this.#field.disabled || this.#field.readOnly) return;
    const problem = this.#attachments.problem || this.#lengthProblem || this.#refusal;
    if (problem) {
      this.dispatchEvent(new CustomEvent("refused", { detail: problem }));
      return;
    }
    const attachments = this.#attachments.take();
    this.dispatchEvent(new CustomEvent("send", { detail: { text, attachments } }));
    this.#set("");
  }

  get #refusal() {
    for (const refusal of this.refusals) {
      const sentence = refusal();
      if (sentence) return sentence;
    }
    return "";
  }

  get isEmpty() {
    return !/\S/.test(this.#field.value) && this.#attachments.isEmpty;
  }

  get #lengthProblem() {
    return problemOfLength(this.#field.value, this.#attachments.items, this.#model());
  }

  modelChanged() {
    this.#update();
  }

  #update() {
    const length = this.#lengthProblem;
    const problem = this.#attachments.problem || length;
    if (this.#told.textContent !== length) this.#told.textContent = length;
    this.#told.hidden = !length;
    this.#send.disabled = this.isEmpty || Boolean(problem) || this.#field.readOnly;
    this.#send.title = problem;
  }

  #set(text) {
    this.#field.value = text;
    this.#typed();
  }

  #typed() {
    this.#update();
    if (!SIZES_ITSELF) this.#grow();
    this.#draft.put(this.#field.value);
    this.dispatchEvent(new Event("typed"));
  }

  // A long text has the maximum height: measuring it would lay out all of it at each key press.
  #grow() {
    const isLong = this.#field.textLength > LONG_CHARACTERS;
    if (!isLong) this.#field.style.height = "auto";
    const height = isLong ? MOST_HEIGHT : `${this.#field.scrollHeight}px`;
    if (this.#field.style.height !== height) this.#field.style.height = height;
  }
}

function isPlainUp(event) {
  const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
  return key === "ArrowUp" && !(shiftKey || ctrlKey || metaKey || altKey || isComposing(event));
}
