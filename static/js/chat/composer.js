// The composer: Enter sends, Shift+Enter breaks the line, what is typed survives a reload. A message
// has a text, attachments, or both; while something is wrong with an attachment it is not sent.

import { mentioned } from "./files_state.js";
import { sendsOn } from "./typing.js";

export class Composer extends EventTarget {
  #field;
  #send;
  #storage;
  #attachments;
  #draftKey = "";

  constructor(form, storage, attachments) {
    super();
    this.#field = form.elements.namedItem("message");
    this.#send = form.querySelector("[type=submit]");
    this.#storage = storage;
    this.#attachments = attachments;
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
  }

  // Drafts are kept by conversation. The server has one for a conversation that begins with it.
  useDraft(key) {
    const typed = this.#field.value;
    this.#draftKey = key;
    if (!typed) this.#set(this.#storage.getItem(key) ?? this.#field.dataset.draft ?? "");
    else this.#typed();
  }

  moveDraft(key) {
    this.#storage.removeItem(this.#draftKey);
    this.#draftKey = key;
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

  focus() {
    this.#field.focus();
  }

  #submit() {
    const text = this.#field.value;
    if (this.#isEmpty || this.#field.disabled) return;
    const { problem } = this.#attachments;
    if (problem) {
      this.dispatchEvent(new CustomEvent("refused", { detail: problem }));
      return;
    }
    const attachments = this.#attachments.take();
    this.dispatchEvent(new CustomEvent("send", { detail: { text, attachments } }));
    this.#set("");
  }

  get #isEmpty() {
    return !this.#field.value.trim() && this.#attachments.isEmpty;
  }

  #update() {
    const { problem } = this.#attachments;
    this.#send.disabled = this.#isEmpty || Boolean(problem);
    this.#send.title = problem;
  }

  #set(text) {
    this.#field.value = text;
    this.#typed();
  }

  #typed() {
    const text = this.#field.value;
    this.#update();
    if (!CSS.supports("field-sizing", "content")) this.#grow();
    try {
      if (text) this.#storage.setItem(this.#draftKey, text);
      else this.#storage.removeItem(this.#draftKey);
    } catch {
      // Storage is full: the text is still in the field.
    }
  }

  #grow() {
    this.#field.style.height = "auto";
    this.#field.style.height = `${this.#field.scrollHeight}px`;
  }
}
