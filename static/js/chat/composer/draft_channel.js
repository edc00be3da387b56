// The draft of one conversation on the server, as one tab sees it. No DOM.
//
// A content is { text, attachments }, attachments as references. The server counts revisions, and
// takes a change only of the revision that it has: a tab that was overtaken gets the newer draft if it
// has not changed its own since, else it keeps its own and is told of the other.
//
// Dispatches `taken` with the content to show, `conflict` with the other content, `refused` with a
// sentence.

const PAUSE_MS = 2_000;
// A long text is stored less often.
const LONG_CHARACTERS = 100_000;
const LONG_PAUSE_MS = 10_000;
// The pause after which the browser keeps that there is something to store.
const KEEP_MS = 300;
const EMPTY = { text: "", attachments: [] };

export class DraftChannel extends EventTarget {
  #exchange;
  #storage;
  #key;
  #pause;
  #revision = 0;
  #content = EMPTY;
  #isDirty = false;
  #isSaving = false;
  #timer = null;
  #keeping = null;

  // `exchange.load()` resolves to { revision, text, attachments }; `exchange.save(change)` to
  // { saved: revision }, { newer: draft } or { refused: sentence }. Both reject without a connection.
  constructor(exchange, storage, key, pause = PAUSE_MS) {
    super();
    this.#exchange = exchange;
    this.#storage = storage;
    this.#key = `draft-state:${key}`;
    this.#pause = pause;
  }

  // `content` is what the tab begins with; `isTyped` unless it came from elsewhere than the person.
  begin(content, isTyped) {
    const kept = parse(this.#storage.getItem(this.#key));
    this.#content = content;
    this.#revision = kept?.revision ?? 0;
    this.#isDirty = isTyped && (kept?.isDirty ?? !isEmpty(content));
  }

  put(content) {
    if (isSame(content, this.#content)) return;
    this.#content = content;
    this.#isDirty = true; // kept as soon as one pauses: storing takes longer than a key press may
    this.#keeping ??= setTimeout(() => this.#keep(), KEEP_MS);
    // A sent text must not come back.
    if (isEmpty(content)) this.flush();
    else this.#schedule();
  }

  // Stores now what is not stored.
  flush() {
    clearTimeout(this.#timer);
    this.#timer = null;
    return this.#store();
  }

  // Asks for what other tabs and devices have made of it.
  async refresh() {
    if (this.#isSaving) return;
    const revision = this.#revision;
    try {
      const draft = await this.#exchange.load();
      // What was stored meanwhile is newer than the answer.
      if (!this.#isSaving && revision === this.#revision) this.#see(draft);
    } catch {
      // The server is away: the next one will tell.
    }
  }

  #schedule() {
    const isLong = this.#content.text.length > LONG_CHARACTERS;
    this.#timer ??= setTimeout(() => this.flush(), isLong ? LONG_PAUSE_MS : this.#pause);
  }

  async #store() {
    if (this.#keeping !== null) this.#keep();
    if (!this.#isDirty || this.#isSaving) return;
    const content = this.#content;
    this.#isSaving = true;
    const outcome = await this.#save(content);
    this.#isSaving = false;
    if (outcome.saved !== undefined) this.#stored(content, outcome.saved);
    else if (outcome.newer) this.#see(outcome.newer);
    else if (outcome.refused) this.#tell("refused", outcome.refused);
  }

  async #save(content) {
    try {
      return await this.#exchange.save({ ...content, revision: this.#revision });
    } catch {
      return {}; // without a connection: `refresh` stores it when there is one
    }
  }

  #stored(content, revision) {
    this.#revision = revision;
    this.#mark(!isSame(content, this.#content));
    if (!this.#isDirty) return;
    if (isEmpty(this.#content)) this.flush();
    else this.#schedule();
  }

  #see(draft) {
    const isKnown = draft.revision === this.#revision;
    this.#revision = draft.revision;
    if (isSame(draft, this.#content)) this.#mark(false);
    else if (isKnown) this.#isDirty && this.#schedule();
    else if (this.#isDirty) this.#conflict(draft);
    else this.#take(draft);
  }

  #take({ text, attachments }) {
    this.#content = { text, attachments };
    this.#mark(false);
    this.#tell("taken", this.#content);
  }

  // What is typed from now on overwrites the other one, which has been told of. An emptied draft,
  // which was sent, overwrites it at once.
  #conflict({ text, attachments }) {
    this.#mark(true);
    if (isEmpty(this.#content)) this.#schedule();
    else this.#tell("conflict", { text, attachments });
  }

  #mark(isDirty) {
    this.#isDirty = isDirty;
    this.#keep();
  }

  #keep() {
    clearTimeout(this.#keeping);
    this.#keeping = null;
    const state = { revision: this.#revision, isDirty: this.#isDirty };
    try {
      this.#storage.setItem(this.#key, JSON.stringify(state));
    } catch {
      // Storage is full: after a reload the server's draft counts.
    }
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

export function isEmpty({ text, attachments }) {
  return !text && attachments.length === 0;
}

function isSame(a, b) {
  const ids = ({ attachments }) => attachments.map(({ id }) => id).join(" ");
  return a.text === b.text && ids(a) === ids(b);
}

function parse(text) {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}
