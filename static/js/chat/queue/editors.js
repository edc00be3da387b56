// Editing a message in line, in its place. What is being typed stays whatever happens to the line;
// a text whose message has begun meanwhile is not lost: "lost" gives it to the page.

import { isComposing } from "../../base/composing.js";
import { sendsOn } from "../thread/typing.js";

export class Editors extends EventTarget {
  #document;
  #element;
  #save;

  // `save(id, text)` resolves to a sentence, "" if the text is saved.
  constructor(document, element, save) {
    super();
    this.#document = document;
    this.#element = element;
    this.#save = save;
    element.addEventListener("click", (event) => {
      if (event.target.closest("[data-queue-cancel]")) this.#cancel(itemOf(event.target));
    });
    element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit(itemOf(event.target));
    });
    element.addEventListener("keydown", (event) => this.#key(event));
  }

  begin(item, text) {
    const place = item.querySelector(".queued-editor");
    if (!place.firstElementChild) {
      const template = this.#document.getElementById("queue-editor-template");
      place.append(template.content.cloneNode(true));
      place.querySelector("textarea").value = text;
    }
    const field = place.querySelector("textarea");
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  }

  end(id) {
    this.#item(id)?.querySelector(".queued-editor").replaceChildren();
  }

  // The texts that are being edited, by the id of their turn.
  open() {
    const fields = this.#element.querySelectorAll(".queued-editor textarea");
    return new Map([...fields].map((field) => [itemOf(field).dataset.queued, field.value]));
  }

  keep(texts) {
    for (const [id, text] of texts) {
      if (!this.#item(id)) this.dispatchEvent(new CustomEvent("lost", { detail: text }));
    }
  }

  #key(event) {
    if (!event.target.matches(".queued-editor textarea")) return;
    if (sendsOn(event, this.#sendingKey)) {
      event.preventDefault();
      this.#submit(itemOf(event.target));
    } else if (event.key === "Escape" && !isComposing(event)) {
      event.preventDefault();
      event.stopPropagation();
      this.#cancel(itemOf(event.target));
    }
  }

  // As in the composer.
  get #sendingKey() {
    return this.#document.getElementById("message").dataset.sendingKey;
  }

  async #submit(item) {
    const field = item.querySelector("textarea");
    const problem = await this.#save(item.dataset.queued, field.value);
    const place = item.querySelector(".problem");
    if (place) {
      place.textContent = problem;
      place.hidden = !problem;
    }
    if (!problem) this.#focusEdit(item.dataset.queued);
  }

  #cancel(item) {
    this.end(item.dataset.queued);
    this.#focusEdit(item.dataset.queued);
  }

  #focusEdit(id) {
    this.#item(id)?.querySelector("[data-queue-act=edit]")?.focus();
  }

  #item(id) {
    return this.#document.getElementById(`queued-${id}`);
  }
}

function itemOf(element) {
  return element.closest("[data-queued]");
}
