// Subagents on the page. Their cards say how far they are by what the conversation's own events tell;
// one that is open shows its rounds, live: a thread of one turn, with a session of its own. A folded
// card costs nothing.

import { gettext } from "../../base/i18n.js";
import { Session } from "../connection/session.js";
import { SubagentChannel } from "./subagent_channel.js";
import { openTurns } from "../connection/state.js";
import { Thread } from "../thread/thread.js";
import { CALL_ENDED } from "../thread/words.js";

const UNREACHABLE = gettext("Its rounds could not be loaded. Close the card and open it again.");
// Nobody writes to a subagent, so nothing waits in line either.
const NO_OUTBOX = { sendable: () => [], mine: () => [], get: () => null };
const NO_FOOT = { queued: [], show: () => {} };

export class Subagents {
  #document;
  #socket;
  #server;
  #changed;
  #views = new Map(); // by the element in the card
  #asked = new Set(); // calls that opened their card because they wait for the person

  // `changed` is called when there is something to draw.
  constructor({ document, socket, server, changed }) {
    this.#document = document;
    this.#socket = socket;
    this.#server = server;
    this.#changed = changed;
  }

  // Draws what is open, and opens what waits for the person: once, so that it can be closed.
  draw(state, now) {
    for (const turn of openTurns(state)) {
      for (const subagent of Object.values(turn.subagents)) this.#look(subagent);
    }
    for (const [place, view] of this.#views) {
      if (place.isConnected) view.draw(now);
      else this.#close(place);
    }
  }

  tick(now) {
    for (const view of this.#views.values()) view.tick(now);
  }

  #look({ call, waiting }) {
    const place = this.#document.getElementById(`subagent-${call}`);
    if (!place) return;
    const card = place.closest("details");
    const fresh = waiting.filter((id) => !this.#asked.has(id));
    for (const id of fresh) this.#asked.add(id);
    if (fresh.length > 0) card.open = true;
    if (card.open) this.#open(place);
  }

  // A card, and the place of its subagent.
  toggled(card, place) {
    if (card.open) this.#open(place);
    else this.#close(place);
  }

  #open(place) {
    if (this.#views.has(place)) return;
    const parts = { document: this.#document, socket: this.#socket, server: this.#server };
    const view = new SubagentView(place, { ...parts, changed: this.#changed });
    this.#views.set(place, view);
    view.open();
  }

  #close(place) {
    this.#views.get(place)?.close();
    this.#views.delete(place);
  }
}

class SubagentView {
  #place;
  #server;
  #thread;
  #channel;
  #session;
  #turn;

  constructor(place, { document, socket, server, changed }) {
    const { subagent: conversation, subagentTurn } = place.dataset;
    this.#place = place;
    this.#turn = subagentTurn;
    // Its thread is its turn.
    this.#server = { get: () => server.get("turn", subagentTurn) };
    this.#thread = new Thread(document, place, this.#server);
    this.#channel = new SubagentChannel(socket, conversation);
    this.#channel.addEventListener("refused", ({ detail }) => this.#say(detail.error));
    const parts = { outbox: NO_OUTBOX, foot: NO_FOOT, thread: this.#thread, conversation };
    this.#session = new Session({ socket: this.#channel, server: this.#server, ...parts });
    this.#session.addEventListener("change", () => {
      this.#say("");
      changed();
    });
  }

  open() {
    const isOver = CALL_ENDED.has(this.#place.closest("[data-call]").dataset.state);
    if (isOver) this.#showEnd();
    else this.#channel.open();
  }

  close() {
    this.#channel.close();
  }

  draw(now) {
    this.#thread.draw(this.#session.state, now);
  }

  tick(now) {
    this.#thread.tick(this.#session.state, now);
  }

  async #showEnd() {
    try {
      this.#thread.showTurn(this.#turn, await this.#server.get());
      this.#say("");
    } catch {
      this.#say(UNREACHABLE);
    }
  }

  // A sentence in place of the rounds, as long as there are none.
  #say(sentence) {
    const note = this.#place.querySelector("[data-subagent-note]");
    if (!note || (sentence === "" && !this.#thread.has(this.#turn))) return;
    note.hidden = sentence === "";
    if (sentence) note.textContent = sentence;
  }
}
