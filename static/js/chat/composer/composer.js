// The composer: Enter sends, Shift+Enter breaks the line, what is typed survives a reload. A message
// has a text, attachments, or both; while something is wrong with an attachment it is not sent.

import { Draft } from "./draft.js";
import { mentioned } from "../files/state.js";
import { problemOfLength } from "./message_length.js";
import { sendsOn } from "../thread/typing.js";

const SIZES_ITSELF = CSS.supports("field-sizing", "content");
const LONG_CHARACTERS = 5_000;
// More than the style sheet allows.
const MOST_HEIGHT = "100vh";

export class Composer extends EventTarget {
  #field;
  #send;
  #draft;
  #attachments;
  #model;
  #told;

  // `model` answers the chosen one: its name, and its window in tokens or 0.
  constructor(form, storage, attachments, model) {
    super();
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
    this.#field.addEventListener("keydown", (event) => {
      if (!sendsOn(event)) return;
      event.preventDefault();
      this.#submit();
    });
    this.#field.addEventListener("input", () => this.#typed());
    addEventListener("pagehide", () => this.#draft.flush());
    form.ownerDocument.addEventListener("visibilitychange", () => this.#draft.flush());
  }

  // Drafts are kept by conversation. The server has one for a conversation that begins with it.
  useDraft(key) {
    const kept = this.#draft.use(key);
    if (!this.#field.value) this.#set(kept ?? this.#field.dataset.draft ?? "");
    else this.#typed();
  }

  moveDraft(key) {
    this.#draft.move(key);
    this.#typed();
  }

  // Puts a text back to be edited, in front of what is there.
  restore(text) {
    this.#set(this.#field.value ? `${text}\n${this.#field.value}` : text);
    this.focus();
  }

  // Appends a text that was chosen; the `/` that may have asked for it goes.
  take(text) {
    const typed = this.#field.value === "/" ? "" : this.#field.value;
    this.#set([typed, text].filter(Boolean).join("\n"));
  }

  // Puts a path where one was typing.
  mention(path) {
    const { value, selectionStart, selectionEnd } = this.#field;
    const { text, caret } = mentioned(value, selectionStart, selectionEnd, path);
    this.#set(text);
    this.focus();
    this.#field.setSelectionRange(caret, caret);
  }

  // Nothing can be sent any more; what was typed can still be selected and copied.
  lock() {
    this.#field.readOnly = true;
    this.#update();
  }

  focus() {
    this.#field.focus();
  }

  #submit() {
    const text = this.#field.value;
    if (this.#isEmpty || this.#field.disabled || this.#field.readOnly) return;
    const problem = this.#attachments.problem || this.#lengthProblem;
    if (problem) {
      this.dispatchEvent(new CustomEvent("refused", { detail: problem }));
      return;
    }
    const attachments = this.#attachments.take();
    this.dispatchEvent(new CustomEvent("send", { detail: { text, attachments } }));
    this.#set("");
  }

  get #isEmpty() {
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
    this.#send.disabled = this.#isEmpty || Boolean(problem) || this.#field.readOnly;
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
  }

  // A long text has the greatest height anyway: measuring it would lay out all of it, at each key.
  #grow() {
    const isLong = this.#field.textLength > LONG_CHARACTERS;
    if (!isLong) this.#field.style.height = "auto";
    const height = isLong ? MOST_HEIGHT : `${this.#field.scrollHeight}px`;
    if (this.#field.style.height !== height) this.#field.style.height = height;
  }
}
