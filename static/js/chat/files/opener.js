// The button of the panel of files. The panel is loaded when it is opened, or when a turn runs, whose
// calls may change files.

import { OnDemand } from "../../base/on_demand.js";

export class FilesOpener extends EventTarget {
  #button;
  #panel;
  #before = null; // the state without turns

  // Passes on what the panel dispatches: `said`, `mention`.
  constructor(document, page) {
    super();
    this.#button = document.getElementById("files-open");
    this.#panel = new OnDemand(
      () => import("./files.js"),
      ({ Files }) => this.#made(new Files(document, page.dataset.conversation || null)),
    );
    this.#button.addEventListener("click", () => this.#panel.use((it) => it.toggle()));
  }

  // A new conversation has got its id.
  begin(conversation) {
    this.#button.hidden = false;
    document.querySelector("#files-panel [data-files-upload]").hidden = false;
    this.#panel.now?.begin(conversation);
  }

  see(state) {
    if (state.order.length === 0) {
      this.#before = state;
      return;
    }
    const before = this.#before;
    this.#before = null;
    this.#panel.use((it) => {
      if (before) it.see(before);
      it.see(state);
    });
  }

  // The connection is back.
  again() {
    this.#panel.now?.again();
  }

  #made(panel) {
    for (const type of ["said", "mention"]) {
      panel.addEventListener(type, ({ detail }) => this.dispatchEvent(new CustomEvent(type, { detail })));
    }
    return panel;
  }
}
