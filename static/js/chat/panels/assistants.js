// The assistant that a new conversation begins with: the picker on the empty page. Its description,
// its starters in place of the model's, and its model, if it has one.

export class Assistants extends EventTarget {
  #document;
  #model;
  #select;
  #value = "";
  name = "";

  constructor(document, model) {
    super();
    this.#document = document;
    this.#model = model;
    this.#select = document.getElementById("assistant");
    this.#select?.addEventListener("change", () => this.#chosen());
    model?.addEventListener("change", () => this.#show());
    if (this.#select?.value) this.#chosen();
  }

  // The id of the chosen one; null without one, or after the conversation has begun.
  get value() {
    return this.#value || null;
  }

  // As if the person had chosen it in the picker.
  choose(id) {
    if (!this.#select) return;
    this.#select.value = id;
    this.#chosen();
  }

  // Resets the choice after the server rejected it.
  forget() {
    this.#value = this.name = "";
  }

  #chosen() {
    const { value, dataset, textContent } = this.#select.selectedOptions[0];
    this.#value = value;
    this.name = value && textContent;
    this.#document.getElementById("assistant-says").textContent = dataset.says ?? "";
    if (dataset.model) this.#take(dataset.model);
    this.#show();
    this.dispatchEvent(new Event("change"));
  }

  #take(id) {
    const isOffered = [...(this.#model?.options ?? [])].some((option) => option.value === id);
    if (!isOffered || this.#model.value === id) return;
    this.#model.value = id;
    this.#model.dispatchEvent(new Event("change"));
  }

  #show() {
    for (const list of this.#document.querySelectorAll("[data-assistant-offer]")) {
      list.hidden = list.dataset.assistantOffer !== this.#value;
    }
    for (const list of this.#document.querySelectorAll("[data-starters]")) {
      list.hidden = Boolean(this.#value) || list.dataset.starters !== this.#model.value;
    }
  }
}
