// Draws the session's state on the page, and advances the times of what runs.

import { gettext } from "../../base/i18n.js";
import { openTurns, runningTurn } from "../connection/state.js";
import { Painter } from "../thread/painter.js";
import { liveTurns } from "../thread/turn_view.js";
import { waitingFor } from "../thread/waiting.js";
import { mayChange } from "./members.js";

const TICK_MS = 100;

export class Drawing {
  #parts;
  #painter = new Painter((now) => this.#draw(now));
  #title = null;
  #assistant = null;
  #waits = null;
  #isLoading = false;

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
    skills.now?.load();
  }

  #draw(now) {
    const { session, thread, stop, context, files, sidebar, follower } = this.#parts;
    const { notifications } = this.#parts;
    const { state } = session;
    this.#loadFor(state);
    thread.draw(state, now);
    this.#drawSubagents(state, now);
    const running = runningTurn(state);
    const isOurs = mayChange(running, this.#parts.page);
    stop.hidden = !isOurs;
    this.#drawTodos(state);
    context.show(state.context, running !== null);
    files.see(state);
    this.#drawHead(state);
    const waits = isOurs ? waitingFor(state) : null;
    if (Boolean(waits) !== Boolean(this.#waits)) sidebar.refresh();
    if (waits && waits !== this.#waits) notifications.tell(gettext("Waits for you"), waits);
    this.#waits = waits;
    follower.grew();
  }

  // What draws running turns. Without it their end is shown all the same, as the server's HTML.
  #loadFor(state) {
    if (liveTurns.now !== null || this.#isLoading || openTurns(state).length === 0) return;
    this.#isLoading = true;
    const done = () => {
      this.#isLoading = false;
      if (liveTurns.now !== null) this.schedule();
    };
    liveTurns.load().then(done, done);
  }

  #drawSubagents(state, now) {
    const { subagents } = this.#parts;
    const isNeeded = openTurns(state).some((turn) => Object.keys(turn.subagents).length > 0);
    if (subagents.now !== null || isNeeded) subagents.use((it) => it.draw(state, now));
  }

  #drawTodos({ todos: items }) {
    const { todos } = this.#parts;
    if (todos.now !== null || items?.length > 0) todos.use((it) => it.show(items));
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
    subagents.now?.tick(performance.now());
  }
}
