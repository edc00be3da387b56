// Several answers to one question side by side. What is there to choose them, and to choose one of
// them, is loaded when it is used first.

import { commands } from "../../base/commands.js";
import { gettext } from "../../base/i18n.js";
import { OnDemand } from "../../base/on_demand.js";
import { runningTurns } from "../connection/state.js";

const COMPARED = "#thread > [data-comparison]";
const MAX_COMPARED = 3;

export class Comparing {
  #parts;
  #thread;
  #choice;
  #columns;

  constructor(parts) {
    this.#parts = parts;
    const { document, composer, session } = parts;
    this.#thread = document.getElementById("thread");
    this.#choice = new OnDemand(() => import("./choice.js"), ({ Choice }) => new Choice(parts));
    this.#columns = new OnDemand(() => import("./columns.js"), ({ Columns }) => new Columns(parts));
    this.#menu?.addEventListener("toggle", () => this.#menu.open && this.#choice.use((it) => it.show()));
    composer.refusals.push(() => this.#refusal);
    composer.addEventListener("refused", () => this.#isUndecided && this.#columns.use((it) => it.point()));
    session.addEventListener("change", () => this.#watch());
    document.addEventListener("click", ({ target }) => this.#clicked(target));
    this.#register();
    this.#watch();
  }

  // Who answers the next message, which is sent now; null: the chosen model.
  take() {
    return this.#choice.now?.take() ?? null;
  }

  restore(compared) {
    this.#choice.use((it) => it.restore(compared));
  }

  get #menu() {
    return this.#parts.document.getElementById("compare-menu");
  }

  // Looked at with every piece of text: the turns alone, not all that is in them.
  get #isUndecided() {
    return Array.prototype.some.call(this.#thread.children, (turn) => turn.hasAttribute("data-comparison"));
  }

  get #refusal() {
    if (this.#isUndecided) return this.#undecided;
    if (!this.#choice.now?.isChosen) return "";
    if (this.#choice.now.isSingle) return gettext("Choose a second model or assistant to compare, or remove the first.");
    if (runningTurns(this.#parts.session.state).length === 0) return "";
    return gettext("An answer is in progress. Answers can be compared when it is complete or stopped.");
  }

  // Of a conversation that is shared its owner chooses.
  get #undecided() {
    const mayChoose = this.#parts.document.querySelector(`${COMPARED} [data-choose]`) !== null;
    if (mayChoose) return gettext("Choose the answer to go on with. Then the message can be sent.");
    return gettext("The owner of this conversation chooses one of these answers. Then the message can be sent.");
  }

  #watch() {
    if (this.#isUndecided) this.#columns.use((it) => it.draw());
  }

  #clicked(target) {
    const button = target.closest?.("[data-choose], [data-stop-lane], [data-lane-tab]");
    if (button) this.#columns.use((it) => it.press(button));
  }

  #register() {
    const { document } = this.#parts;
    const section = gettext("Conversation");
    const open = () => {
      this.#menu.open = true;
    };
    const isOffered = () => this.#menu !== null;
    commands.register({ id: "compare", name: gettext("Compare models"), section, icon: "columns", run: open, isOffered });
    for (let number = 1; number <= MAX_COMPARED; number += 1) {
      const place = () => document.querySelector(`${COMPARED}[data-lane="${number}"] [data-choose]`);
      commands.register({
        ...{ id: `choose-${number}`, section, icon: "check", keys: String(number) },
        name: [gettext("Go on with answer 1"), gettext("Go on with answer 2"), gettext("Go on with answer 3")][number - 1],
        run: () => this.#columns.use((it) => it.press(place())),
        isOffered: () => place() !== null,
      });
    }
  }
}
