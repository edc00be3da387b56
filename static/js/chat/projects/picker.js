// The project that a new conversation begins in: the choice on the empty page.

import { openProject, showProject } from "./projects.js";

export class ProjectPicker {
  #document;
  #select;

  constructor(document, assistants) {
    this.#document = document;
    this.#select = document.getElementById("project");
    this.#select.addEventListener("change", () => {
      const { assistant } = this.#select.selectedOptions[0].dataset;
      if (assistant && document.querySelector(`#assistant option[value="${assistant}"]`)) assistants.choose(assistant);
    });
    // A temporary conversation is in no project.
    const temporary = document.getElementById("temporary-switch");
    temporary?.addEventListener("change", () => {
      this.#select.disabled = temporary.checked;
    });
  }

  // Resets the choice after the server rejected it.
  forget() {
    this.#select.value = "";
  }

  // The conversation has got its first message.
  async begin() {
    const { value, disabled } = this.#select;
    if (!value || disabled) return;
    showProject(this.#document, value);
    await openProject(this.#document, value);
  }
}
