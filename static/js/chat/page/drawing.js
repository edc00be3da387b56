// Draws the session's state on the page, and advances the times of what runs.

import { gettext } from "../../base/i18n.js";
import { openTurns, runningTurn } from "../connection/state.js";
import { Painter } from "../thread/painter.js";
import { mayChange } from "./members.js";
import { waitingFor } from "./status.js";

const TICK_MS = 100;

export class Drawing {
  #parts;
  #painter = new Painter((now) => this.#draw(now));
  #title = null;
  #assistant = null;
  #waits = null;

  constructor(parts) {
    this.#parts = parts;
    setInterval(() => this.#tick(), TICK_MS);
  }

  schedule() {
    this.#painter.schedule();
  }

  // The choices of tools and skills depend on the assistant.
  showAssistant(name) {
    const { head, tools, skills } = this.#parts;
    const isAnother = head.assistant !== name;
    this.#assistant = name;
    head.showAssistant(name);
    if (!isAnother) return;
    tools?.load();
    skills?.load();
  }

  #draw(now) {
    const { session, thread, subagents, stop, todos, context, files, sidebar, follower } = this.#parts;
    const { notifications } = this.#parts;
    const { state } = session;
    thread.draw(state, now);
    subagents.draw(state, now);
    const running = runningTurn(state);
    const isOurs = mayChange(running, this.#parts.page);
    stop.hidden = !isOurs;
    todos.show(state.todos);
    context.show(state.context, running !== null);
    files.see(state);
    this.#drawHead(state);
    const waits = isOurs ? waitingFor(state) : null;
    if (Boolean(waits) !== Boolean(this.#waits)) sidebar.refresh();
    if (waits && waits !== this.#waits) notifications.tell(gettext("Waits for you"), waits);
    this.#waits = waits;
    follower.grew();
  }

  #drawHead({ title, assistant, isKept }) {
    if (isKept) this.#parts.temporary.kept();
    if (title !== null && title !== this.#title) {
      this.#title = title;
      this.#parts.head.show(title);
      this.#parts.sidebar.refresh();
    }
    if (assistant !== null && assistant !== this.#assistant) this.showAssistant(assistant);
  }

  #tick() {
    const { session, thread, subagents } = this.#parts;
    if (openTurns(session.state).length === 0) return;
    thread.tick(session.state, performance.now());
    subagents.tick(performance.now());
  }
}
