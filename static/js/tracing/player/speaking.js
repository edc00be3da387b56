// The response of the running generation, while it is said: in its stage, until the stage comes as
// it was recorded.

import { hear } from "./hearing.js";
import { Stream } from "../reader/stream.js";

export class Speaking {
  #document;
  #changed;
  #said = null;
  #stream = null;
  #drawing = false;
  #end;

  // `changed()` when something has happened that the server's page tells.
  constructor(document, page, changed) {
    this.#document = document;
    this.#changed = changed;
    this.#end = hear(page.dataset, { hears: (said) => this.#hears(said), changed });
  }

  end() {
    this.#end();
    this.#said = null;
    this.draw();
  }

  // Also when the round came anew.
  draw() {
    const stage = this.#stage();
    if (!stage) {
      this.#stream?.element.remove();
      this.#stream = null;
      return;
    }
    const body = stage.querySelector(".stage-body");
    this.#stream ??= new Stream(this.#document);
    if (this.#stream.element.parentElement !== body) body.append(this.#stream.element);
    stage.dataset.streaming = "";
    stage.dataset.live = "";
    const { reasoning, content } = this.#said;
    this.#stream.show([
      { kind: "reasoning", name: "", text: reasoning },
      { kind: "content", name: "", text: content },
    ]);
  }

  #hears(said) {
    const isNew = said !== null && said.generation !== this.#said?.generation;
    this.#said = said;
    if (isNew) this.#changed();
    if (this.#drawing) return;
    this.#drawing = true;
    requestAnimationFrame(() => {
      this.#drawing = false;
      this.draw();
    });
  }

  // Where the words belong, if the page shows the generation that says them and it says any.
  #stage() {
    const round = this.#document.getElementById("round");
    if (!this.#said || !round || round.dataset.replay) return null;
    if (round.dataset.open !== this.#said.generation) return null;
    if (!this.#said.content && !this.#said.reasoning) return null;
    return this.#document.getElementById("stage-response");
  }
}
