// The composer: Enter sends, Shift+Enter breaks the line, what is typed survives a reload.

import { sendsOn } from "./typing.js";

export class Composer extends EventTarget {
  #field;
  #send;
  #storage;
  #draftKey = "";

  constructor(form, storage) {
    super();
    this.#field = form.elements.namedItem("message");
    this.#send = form.querySelector("[type=submit]");
    this.#storage = storage;
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

  // Drafts are kept by conversation.
  useDraft(key) {
    const typed = this.#field.value;
    this.#draftKey = key;
    if (!typed) this.#set(this.#storage.getItem(key) ?? "");
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

  focus() {
    this.#field.focus();
  }

  #submit() {
    const text = this.#field.value;
    if (!text.trim() || this.#field.disabled) return;
    this.dispatchEvent(new CustomEvent("send", { detail: text }));
    this.#set("");
  }

  #set(text) {
    this.#field.value = text;
    this.#typed();
  }

  #typed() {
    const text = this.#field.value;
    this.#send.disabled = !text.trim();
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
