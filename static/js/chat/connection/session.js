// Between the page and the server: applies frames to the state, carries out its effects, and
// sends the messages of the outbox.

import { randomKey } from "../../base/keys.js";
import { Fetcher } from "./fetcher.js";
import { sendFrame } from "./send_frame.js";
import { Gone, SignedOut } from "./server.js";
import { initial, line, reconnected, reduce, runningTurns } from "./state.js";
import { FINAL } from "./turn_state.js";

// Frames that were requested and do not come within this time are replaced by a snapshot.
const LOST_MS = 4_000;
const OPEN_PAUSE_MS = 300;

export class Session extends EventTarget {
  #socket;
  #server;
  #outbox;
  #thread;
  #turns = new Fetcher((id) => this.#loadTurn(id));
  #threads = new Fetcher((id) => this.#loadThread(id));
  #branches = new Fetcher((turn) => this.#loadBranch(turn));
  #feet = new Fetcher((id) => this.#loadFoot(id));
  #foot;
  // Messages that were accepted and are shown as unsent until the queue shows them.
  #lined = new Set();
  #isNote = false;
  #stops = new Set();
  #lostTimer = null;
  #openTimer = null;
  // The turn of the branch that is being fetched, and the turns to fetch after it.
  #branch = null;
  #afterBranch = new Set();
  #switches = 0; // how often another branch was chosen

  constructor({ socket, server, outbox, thread, foot, conversation }) {
    super();
    this.#socket = socket;
    this.#server = server;
    this.#outbox = outbox;
    this.#thread = thread;
    this.#foot = foot;
    this.state = initial(conversation);
    socket.addEventListener("ready", () => this.#ready());
    socket.addEventListener("frames", (event) => this.#take(event.detail));
    socket.addEventListener("lost", (event) => this.#lost(event.detail));
    this.#showUnsent();
  }

  // Deeds of the person

  // `fields`: { text, model } and what else the message has, see `send_frame.js`; `alternative` with the
  // turn `cut` from which on the thread is left; `begins`, what counts for a first message alone.
  send({ attachments = [], again = null, alternative = null, compare = null, begins = {}, ...fields }) {
    const conversation = this.state.conversation;
    const first = this.#outbox.sendable(Date.now()).find((known) => known.conversation === null);
    const after = conversation === null ? (first?.key ?? null) : null;
    const more = { attachments, again, alternative, compare, ...begins, note: this.#isNote };
    const message = { key: randomKey(), conversation, after, ...fields, ...more };
    this.#outbox.put(message, Date.now());
    if (alternative) this.#thread.leaveFrom(alternative.cut);
    this.#thread.showUnsent(message, this.#socket.isReady);
    if (!after) this.#transmit(message);
    this.#changed();
  }

  // What is sent meanwhile goes into the running turn.
  asNote(act) {
    this.#isNote = true;
    try {
      act();
    } finally {
      this.#isNote = false;
    }
  }

  // Asks for another answer, or for the rest of one: `fields` are those of the frame. Answers
  // whether the frame could be sent.
  ask(key, fields) {
    const { conversation } = this.state;
    return this.#socket.send({ type: "send", key, conversation, model: null, text: "", ...fields });
  }

  // Stops these turns, by default all that run.
  stop(turns = runningTurns(this.state).map(({ id }) => id)) {
    for (const turn of turns) {
      this.#stops.add(turn);
      this.#socket.send({ type: "stop", turn });
    }
  }

  // Tells others who have the conversation open that this person is writing.
  tellWriting() {
    this.#socket.send({ type: "writing" });
  }

  // Answers whether the frame could be sent.
  decide(call, decision, more = {}) {
    return this.#socket.send({ type: "decide", call, decision, ...more });
  }

  answer(question, action, content) {
    return this.#socket.send({ type: "answer", question, action, content });
  }

  discard(key) {
    const message = this.#outbox.get(key);
    this.#outbox.remove(key);
    this.#thread.removeUnsent(key);
    return message;
  }

  fetchThread() {
    if (this.state.conversation !== null) this.#threads.ask(this.state.conversation);
  }

  fetchFoot() {
    if (this.state.conversation !== null) this.#feet.ask(this.state.conversation);
  }

  // The socket

  #ready() {
    this.state = reconnected(this.state);
    this.#open();
    for (const message of this.#outbox.sendable(Date.now())) this.#transmit(message);
    for (const turn of this.#stops) this.#socket.send({ type: "stop", turn });
    if (this.#branch !== null) this.#branches.ask(this.#branch);
    this.#showUnsent();
    this.#tell("connected");
  }

  #lost({ signedOut, tooMany, attempt }) {
    this.#showUnsent();
    this.#tell(signedOut ? "signed-out" : "disconnected", { tooMany });
    // A refused handshake has no reason that a page can read: a request tells.
    if (!signedOut && attempt === 2) this.#probe();
  }

  async #probe() {
    try {
      await this.#server.getUrl(this.#server.url("conversations", ""));
    } catch (error) {
      this.#failed(error);
    }
  }

  #open() {
    const { conversation, cursor } = this.state;
    if (conversation !== null) this.#socket.send({ type: "open", conversation, cursor });
  }

  // A page that is told nonsense again and again does not ask again and again.
  #openSoon() {
    if (this.#openTimer !== null) return;
    this.#open();
    this.#openTimer = setTimeout(() => {
      this.#openTimer = null;
      if (this.state.lost) this.#open();
    }, OPEN_PAUSE_MS);
  }

  #take(frames) {
    const effects = [];
    for (const frame of frames) {
      if (frame.type === "notice") this.#tell("notice", frame);
      if (frame.type === "presence" && frame.conversation === this.state.conversation) this.#tell("presence", frame);
      if (frame.type === "error" && frame.code === "invalid") this.#tell("refused", frame);
      else if (frame.type === "error" && !frame.conversation) console.warn(`the server: ${frame.error}`);
      const step = reduce(this.state, frame, performance.now());
      this.state = step.state;
      effects.push(...step.effects);
      if (frame.type === "snapshot") this.#compareLine();
    }
    for (const effect of effects) this.#do(effect);
    this.#watchLoss();
    this.#changed();
  }

  // The page is older than the snapshot.
  #compareLine() {
    if (line(this.state).join() !== this.#foot.queued.join()) this.fetchFoot();
  }

  #watchLoss() {
    if (!this.state.lost) {
      clearTimeout(this.#lostTimer);
      this.#lostTimer = null;
    } else if (this.#lostTimer === null) {
      this.#lostTimer = setTimeout(() => this.#giveUpOnCursor(), LOST_MS);
    }
  }

  #giveUpOnCursor() {
    this.#lostTimer = null;
    if (!this.state.lost) return;
    this.state = { ...this.state, cursor: null, asked: true };
    this.#open();
    this.#watchLoss();
  }

  #do(effect) {
    const actions = {
      open: () => this.#openSoon(),
      fetch_thread: () => this.#threads.ask(this.state.conversation),
      show_branch: () => this.#showBranch(effect.turn),
      fetch_turn: () => this.#fetchTurn(effect),
      fetch_foot: () => this.fetchFoot(),
      removed: () => this.#thread.remove(effect.turns),
      feedback: () => this.#tell("feedback", effect),
      accepted: () => this.#accepted(effect),
      rejected: () => this.#rejected(effect),
      deleted: () => this.#tell("deleted"),
      unshared: () => this.#tell("unshared"),
      missing: () => this.#tell("missing"),
    };
    actions[effect.do]();
  }

  #showBranch(turn) {
    this.#branch = turn;
    this.#switches += 1;
    this.#branches.ask(turn);
  }

  #fetchTurn({ turn, unless }) {
    if (this.#branch !== null) {
      this.#afterBranch.add(turn);
      return;
    }
    const shown = this.#thread.shownState(turn);
    if (unless && shown === unless && FINAL.has(shown)) return;
    // An ended turn that this page has never seen: others before it may be missing too.
    if (shown === null && FINAL.has(unless)) this.#threads.ask(this.state.conversation);
    else this.#turns.ask(turn);
  }

  #accepted({ key, conversation, turn, waits }) {
    const began = this.#outbox.get(key)?.conversation === null;
    const released = this.#outbox.accept(key, conversation);
    for (const message of released) this.#transmit(message);
    if (conversation === this.state.conversation && waits) {
      this.#lined.add(key);
      this.fetchFoot();
    } else if (conversation === this.state.conversation) {
      this.#thread.promote(key, turn);
      this.#turns.ask(turn);
      if (began) this.#tell("began", { conversation });
    } else {
      this.#thread.removeUnsent(key);
      this.#tell("sent-elsewhere", { conversation });
    }
    this.#tell("accepted");
  }

  #rejected({ key, error }) {
    this.#thread.comeBack();
    if (!this.#outbox.get(key)) this.#tell("not-asked", { error });
    this.#outbox.reject(key, error);
    this.#showUnsent();
    this.#tell("rejected", { error });
  }

  #transmit(message) {
    const { frame, problem } = sendFrame(message);
    if (problem) this.#rejected({ key: message.key, error: problem });
    else this.#socket.send(frame);
  }

  // Unsent messages of this page: those of its conversation, and on an empty one those of none.
  #showUnsent() {
    for (const message of this.#outbox.mine(Date.now())) {
      if (message.conversation !== this.state.conversation) continue;
      this.#thread.showUnsent(message, this.#socket.isReady);
    }
  }

  // The server's HTML

  async #loadTurn(id) {
    const switches = this.#switches;
    try {
      const html = await this.#server.get("turn", id);
      // It may be of the branch that was left meanwhile.
      if (switches !== this.#switches) this.#turns.ask(id);
      else this.#showing([id], () => this.#thread.showTurn(id, html));
    } catch (error) {
      return this.#failed(error);
    }
    return false;
  }

  async #loadThread(id) {
    const switches = this.#switches;
    try {
      const html = await this.#server.get("thread", id);
      if (id !== this.state.conversation) return false;
      if (switches !== this.#switches) this.#threads.ask(id);
      else this.#showing(this.state.order, () => this.#thread.showThread(html));
    } catch (error) {
      return this.#failed(error);
    }
    return false;
  }

  // The thread of another branch. Of several switches the last one counts.
  async #loadBranch(turn) {
    if (turn !== this.#branch) return false;
    try {
      const url = `${this.#server.url("thread", this.state.conversation)}?around=${turn}`;
      const html = await this.#server.getUrl(url);
      if (turn !== this.#branch) return false;
      this.#showing(this.state.order, () => this.#thread.showBranch(html, turn));
      this.#branchIsOver();
      this.#tell("branch", { turn });
    } catch (error) {
      if (error instanceof Gone && turn === this.#branch) this.#branchIsGone();
      return this.#failed(error);
    }
    return false;
  }

  // It was deleted meanwhile: the thread is what there is.
  #branchIsGone() {
    this.#branchIsOver();
    this.fetchThread();
  }

  #branchIsOver() {
    this.#branch = null;
    for (const id of this.#afterBranch) if (id in this.state.turns) this.#turns.ask(id);
    this.#afterBranch.clear();
  }

  async #loadFoot(id) {
    const lined = [...this.#lined];
    try {
      const html = await this.#server.get("threadFoot", id);
      if (id !== this.state.conversation) return false;
      this.#foot.show(html);
      for (const key of lined) this.#removeLined(key);
      if (lined.length > 0) this.#tell("lined");
    } catch (error) {
      return this.#failed(error);
    }
    return false;
  }

  #removeLined(key) {
    this.#lined.delete(key);
    this.#thread.removeUnsent(key);
  }

  // Shows turns; those that the page now shows as over are over, whatever the events have said.
  #showing(turns, show) {
    const open = turns.filter((id) => !FINAL.has(this.#thread.shownState(id)));
    show();
    for (const id of open) {
      const state = this.#thread.shownState(id);
      if (!FINAL.has(state)) continue;
      this.#stops.delete(id);
      this.state = reduce(this.state, { type: "shown", turn: id, state }, 0).state;
      this.#tell("ended", { turn: id, state });
    }
    this.#changed();
  }

  // True if it may work later.
  #failed(error) {
    if (error instanceof Gone) return false;
    if (error instanceof SignedOut) {
      this.#tell("signed-out");
      return false;
    }
    if (error instanceof TypeError) return true;
    throw error;
  }

  #changed() {
    this.#tell("change");
  }

  #tell(type, detail = null) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

