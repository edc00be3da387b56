// The composer: Enter sends, Shift+Enter breaks the line, drafts survive a reload. A message has a
// text, attachments, or both; it is not sent while an attachment has a problem.

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
  // Why nothing may be sent now, or "".
  refusal = () => "";

  // `model()` returns the chosen model: its name, and its window in tokens or 0.
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
      if (!sendsOn(event, this.#field.dataset.sendingKey)) return;
      event.preventDefault();
      this.#submit();
    });
    this.#field.addEventListener("input", () => this.#typed());
    addEventListener("pagehide", () => this.#draft.flush());
    form.ownerDocument.addEventListener("visibilitychange", () => this.#draft.flush());
  }

  // Drafts are stored by conversation. The server gives one to a fork.
  useDraft(key) {
    const kept = this.#draft.use(key);
    if (!this.#field.value) this.#set(kept ?? this.#field.dataset.draft ?? "");
    else this.#typed();
  }

  moveDraft(key) {
    this.#draft.move(key);
    this.#typed();
  }

  // Inserts a text to be edited, before the text that is there.
  restore(text) {
    this.#set(this.#field.value ? `${text}\n${this.#field.value}` : text);
    this.focus();
  }

  // Appends a chosen text; a `/` that opened the list is removed.
  take(text) {
    const typed = this.#field.value === "/" ? "" : this.#field.value;
    this.#set([typed, text].filter(Boolean).join("\n"));
  }

  // Inserts a path at the cursor.
  mention(path) {
    const { value, selectionStart, selectionEnd } = this.#field;
    const { text, caret } = mentioned(value, selectionStart, selectionEnd, path);
    this.#set(text);
    this.focus();
    this.#field.setSelectionRange(caret, caret);
  }

  // Disables sending; the text can still be selected and copied.
  lock() {
    this.#field.readOnly = true;
    this.#update();
  }

  focus() {
    this.#field.focus();
  }

  #submit() {
    const text = this.#field.value;
    if (this.isEmpty || this.#field.disabled || this.#field.readOnly) return;
    const problem = this.#attachments.problem || this.#lengthProblem || this.refusal();
    if (problem) {
      this.dispatchEvent(new CustomEvent("refused", { detail: problem }));
      return;
    }
    const attachments = this.#attachments.take();
    this.dispatchEvent(new CustomEvent("send", { detail: { text, attachments } }));
    this.#set("");
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
  }

  // A long text has the maximum height: measuring it would lay out all of it at each key press.
  #grow() {
    const isLong = this.#field.textLength > LONG_CHARACTERS;
    if (!isLong) this.#field.style.height = "auto";
    const height = isLong ? MOST_HEIGHT : `${this.#field.scrollHeight}px`;
    if (this.#field.style.height !== height) this.#field.style.height = height;
  }
}
