// One turn on the page: the server's HTML of what is finished. What is not is drawn by a module of its
// own, which is loaded when the page has a running turn.

import { morph } from "../../base/morph.js";
import { OnDemand } from "../../base/on_demand.js";

export const liveTurns = new OnDemand(() => import("./live_turn.js"));

export class TurnView {
  #document;
  #live = null;

  constructor(document, element) {
    this.#document = document;
    this.element = element;
  }

  get shownState() {
    return this.element.querySelector(":scope > [data-role=assistant]").dataset.state;
  }

  // Takes the server's HTML over.
  replace(fresh) {
    const finish = this.#live?.giveWay(fresh);
    morph(this.element, fresh);
    finish?.();
  }

  // Draws what changed of the turn's state, when `liveTurns` is loaded.
  update(turn) {
    if (liveTurns.now === null) return;
    this.#live ??= new liveTurns.now.LiveTurn(this.#document, this.element);
    this.#live.update(turn);
  }

  tick(turn, now, isBehind) {
    this.#live?.tick(turn, now, isBehind);
  }
}
