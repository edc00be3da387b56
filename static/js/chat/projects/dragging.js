// A conversation of the sidebar is dragged onto a project, or back to the list. The menu of its row
// does the same by keyboard.

const TARGETS = "[data-project-row], #conversations";

// The drag that was begun last: it ends unseen if its row goes meanwhile.
let current = null;

// `move` is called with the ids of the conversation and of the project, "" for none.
export function drag(row, move) {
  current?.end();
  current = new Drag(row, move);
}

class Drag {
  #id;
  #move;
  #from; // the project that it is in
  #isInProject;
  #target = null;
  #listening = new AbortController();

  constructor(row, move) {
    this.#id = row.dataset.row;
    this.#move = move;
    this.#from = row.closest("[data-project-row]");
    this.#isInProject = row.closest("[data-project-conversations]") !== null;
    const options = { signal: this.#listening.signal };
    row.ownerDocument.addEventListener("dragover", (event) => this.#over(event), options);
    row.ownerDocument.addEventListener("drop", (event) => this.#dropped(event), options);
    row.ownerDocument.addEventListener("dragend", () => this.end(), options);
  }

  end() {
    this.#show(null);
    this.#listening.abort();
  }

  #over(event) {
    const target = this.#targetOf(event);
    this.#show(target);
    if (!target) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "move";
  }

  #dropped(event) {
    const target = this.#targetOf(event);
    if (!target) return;
    event.preventDefault();
    this.#move(this.#id, target.dataset.projectRow ?? "");
  }

  #targetOf(event) {
    const target = event.target.closest?.(TARGETS) ?? null;
    const isList = target?.id === "conversations";
    return target === this.#from || (isList && !this.#isInProject) ? null : target;
  }

  #show(target) {
    if (this.#target === target) return;
    this.#target?.removeAttribute("data-drop-target");
    target?.setAttribute("data-drop-target", "");
    this.#target = target;
  }
}
