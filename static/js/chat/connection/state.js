// The state of a conversation on the page, as a pure function of the frames that it got. No DOM, no
// clock: `reduce(state, frame, now)` returns a new state and effects.
//
// See docs/protocol.md. Effects are { do: "open" } (fetch what is missing, from state.cursor),
// { do: "fetch_thread" }, { do: "show_branch", turn } (the thread is another one from this turn on),
// { do: "fetch_turn", turn, unless } (not needed if the page shows that final state already),
// { do: "fetch_foot" }, { do: "removed", turns }, { do: "feedback", turn },
// { do: "deleted" }, { do: "unshared" }, { do: "missing" } (one of the two, while nobody listened) and
// { do: "accepted" | "rejected", … }. The page itself makes one frame, { type: "shown", turn, state }:
// the state in the server's HTML.

import { attemptOf, blankTurn, compactionOf, FINAL, fromSnapshot, generation, isOpen, subagent } from "./turn_state.js";

// Ended turns that are kept, so that late frames about them are understood.
const ENDED_KEPT = 10;

export function initial(conversation = null) {
  return {
    conversation,
    title: null,
    // Whether a temporary conversation was kept.
    isKept: false,
    // The name of its assistant, "" for none; null until an event or a snapshot tells.
    assistant: null,
    // The model's task list; null until an event or a snapshot tells.
    todos: null,
    // How full the model's context window is: { tokens, window, threshold, estimated }, or null.
    context: null,
    cursor: null,
    // Events are missing, and were requested. Until a snapshot, or an event that follows the cursor,
    // other events are dropped.
    lost: false,
    asked: true,
    deleted: false,
    turns: {},
    order: [],
    // The open turns of branches that are not shown: what happens in them is not shown either.
    elsewhere: [],
    // The turns that were deleted: late frames about them are dropped.
    removed: new Set(),
  };
}

// Those in line are not in the thread yet.
export function openTurns(state) {
  return state.order.map((id) => state.turns[id]).filter((turn) => isOpen(turn) && !turn.waits);
}

// The ids of the turns in line.
export function line(state) {
  return state.order.filter((id) => state.turns[id].waits);
}

// The running turn, which is the first open one.
export function runningTurn(state) {
  return openTurns(state)[0] ?? null;
}

// The turns that run: the first open one, and those of its comparison. Stop stops them.
export function runningTurns(state) {
  const [first, ...others] = openTurns(state);
  if (!first) return [];
  return [first, ...others.filter((turn) => isBeside(turn, first))];
}

// Whether their answers are compared, and so written at the same time.
export function isBeside(turn, other) {
  return turn.comparison !== null && turn.comparison === other.comparison;
}

// The state when a new socket opens the conversation again: it has requested nothing yet.
export function reconnected(state) {
  return { ...state, lost: false, asked: state.cursor === null };
}

export function reduce(state, frame, now) {
  if (frame.type === "rejected") return { state, effects: [{ ...frame, do: "rejected" }] };
  if (state.deleted) return same(state);
  if (frame.type === "snapshot") return applySnapshot(state, frame, now);
  if (frame.type === "accepted") return accept(state, frame);
  if (frame.type === "shown") return { state: seen(state, frame), effects: [] };
  if (frame.type === "error" && isAboutMissing(state, frame)) return deleted(state, "missing");
  if (frame.type === "unshared" && frame.conversation === state.conversation) return deleted(state, "unshared");
  if (typeof frame.id !== "string") return same(state);
  const place = placeOf(state.cursor, frame.id);
  if (place === "old") return same(state);
  if (place === "gap") return missing(state);
  const next = { ...state, cursor: frame.id, lost: false, asked: false };
  const applied = EVENTS[frame.type]?.(next, frame, now);
  return applied ?? { state: next, effects: [] };
}

function parseId(id) {
  const match = /^(\d+)-(\d+)$/.exec(id ?? "");
  return match && { incarnation: match[1], n: Number(match[2]) };
}

// Where an event stands to the cursor: the "next" one, an "old" one, or behind a "gap".
export function placeOf(cursor, id) {
  const event = parseId(id);
  if (!event) return "old";
  const last = parseId(cursor);
  if (!last) return event.n === 1 ? "next" : "gap";
  if (event.incarnation !== last.incarnation) return "gap";
  if (event.n <= last.n) return "old";
  return event.n === last.n + 1 ? "next" : "gap";
}

function same(state) {
  return { state, effects: [] };
}

// Events are missing: requests them once.
function missing(state) {
  if (state.lost) return same(state);
  return { state: { ...state, lost: true, asked: state.cursor === null }, effects: [{ do: "open" }] };
}

// The text of a turn may be wrong, or the turns are others: requests a snapshot.
function startOver(state) {
  const fresh = { ...state, cursor: null, lost: true, asked: true };
  return { state: fresh, effects: [{ do: "open" }] };
}

// Whether the error says that the conversation no longer exists.
function isAboutMissing(state, { code, conversation }) {
  return code === "unknown" && conversation === state.conversation && conversation != null;
}

// The state of a conversation that is deleted, no longer shared, or one of the two, without turns.
function deleted(state, effect = "deleted") {
  const over = { ...state, deleted: true, lost: false, turns: {}, order: [] };
  return { state: over, effects: [{ do: effect }] };
}

function accept(state, frame) {
  const effects = [{ ...frame, do: "accepted" }];
  if (state.conversation === null) {
    const begun = { ...initial(frame.conversation), title: state.title };
    return { state: withTurn(begun, frame.turn, {}), effects };
  }
  if (state.conversation !== frame.conversation) return { state, effects };
  const waits = state.turns[frame.turn]?.waits ?? Boolean(frame.waits);
  return { state: withTurn(state, frame.turn, { waits }), effects };
}

// A turn that the HTML shows as ended has ended: a resent message may belong to an old turn.
function seen(state, frame) {
  const turn = state.turns[frame.turn];
  if (!turn || !isOpen(turn) || !FINAL.has(frame.state)) return state;
  return withTurn(state, frame.turn, { state: frame.state, attempt: null });
}

function withTurn(state, id, changes) {
  const turn = { ...(state.turns[id] ?? blankTurn(id)), ...changes };
  const order = id in state.turns ? state.order : [...state.order, id];
  return forget({ ...state, turns: { ...state.turns, [id]: turn }, order });
}

function forget(state) {
  const ended = state.order.filter((id) => !isOpen(state.turns[id]));
  if (ended.length <= ENDED_KEPT) return state;
  const gone = new Set(ended.slice(0, ended.length - ENDED_KEPT));
  const order = state.order.filter((id) => !gone.has(id));
  return { ...state, order, turns: Object.fromEntries(order.map((id) => [id, state.turns[id]])) };
}

// Snapshots

function applySnapshot(state, frame, now) {
  if (state.conversation !== null && frame.conversation !== state.conversation) return same(state);
  const effects = state.asked ? [] : [{ do: "fetch_thread" }];
  const known = new Set(frame.turns.map((turn) => turn.turn));
  let next = {
    ...state,
    conversation: frame.conversation,
    assistant: frame.assistant ?? state.assistant,
    todos: frame.todos ?? state.todos,
    context: frame.context ?? state.context,
    cursor: frame.cursor,
    lost: false,
    asked: false,
    turns: {},
    order: [],
    elsewhere: frame.elsewhere ?? [],
  };
  for (const id of state.order) {
    if (!known.has(id) && isOpen(state.turns[id])) effects.push({ do: "fetch_turn", turn: id });
  }
  for (const turn of frame.turns) {
    next = withTurn(next, turn.turn, fromSnapshot(turn, state.turns[turn.turn], now));
    if (!turn.waits) effects.push({ do: "fetch_turn", turn: turn.turn, unless: turn.state });
  }
  return { state: next, effects };
}

// Events

const EVENTS = {
  turn(state, event, now) {
    if (state.elsewhere.includes(event.turn)) return beside(state, event);
    const before = state.turns[event.turn];
    if ((before && !isOpen(before)) || state.removed.has(event.turn)) return same(state);
    const ended = FINAL.has(event.state);
    const changes = {
      state: event.state,
      waits: Boolean(event.waits),
      epoch: Math.max(before?.epoch ?? 0, event.epoch ?? 0),
      message: event.message,
      comparison: event.comparison ?? null,
      author: event.author ?? null,
      error: event.error,
      since: before?.state === event.state && before.since !== null ? before.since : now,
    };
    if (ended) Object.assign(changes, { attempt: null });
    const next = withTurn(state, event.turn, changes);
    if (changes.waits) return { state: next, effects: before?.waits ? [] : [{ do: "fetch_foot" }] };
    const isNew = !before || before.waits;
    const effects = isNew || ended ? [{ do: "fetch_turn", turn: event.turn }] : [];
    // Its place is among those that it is compared with.
    if (isNew && changes.comparison) effects[0] = { do: "fetch_thread" };
    if (before?.waits) effects.push({ do: "fetch_foot" });
    return { state: next, effects };
  },

  // The line, in order. A turn that is not in it any more begins.
  queue(state, { turns }) {
    const known = turns.filter((id) => state.turns[id]);
    const order = [...state.order.filter((id) => !turns.includes(id)), ...known];
    const begun = line(state).filter((id) => !turns.includes(id) && !state.removed.has(id));
    let next = { ...state, order };
    for (const id of known) next = withTurn(next, id, { waits: true });
    for (const id of begun) next = withTurn(next, id, { waits: false });
    const effects = [{ do: "fetch_foot" }];
    for (const turn of begun) effects.push({ do: "fetch_turn", turn });
    return { state: next, effects };
  },

  // Deleted turns, those in line among them.
  removed(state, { turns }) {
    const removed = new Set([...state.removed, ...turns]);
    const order = state.order.filter((id) => !removed.has(id));
    const kept = Object.fromEntries(order.map((id) => [id, state.turns[id]]));
    const effects = [{ do: "removed", turns }, { do: "fetch_thread" }, { do: "fetch_foot" }];
    return { state: { ...state, order, turns: kept, removed }, effects };
  },

  // A deletion was undone.
  restored(state) {
    const effects = [{ do: "fetch_thread" }, { do: "fetch_foot" }];
    return { state: { ...state, removed: new Set() }, effects };
  },

  generation(state, event, now) {
    const turn = current(state, event);
    if (!turn) return same(state);
    const attempt = attemptOf(event, now);
    const begins = event.state === "running" && turn.running?.id !== event.generation;
    const changes = { epoch: event.epoch, attempt, compaction: null };
    if (begins) changes.running = generation({ ...event });
    // The server's HTML shows failed attempts.
    const failed = attempt.retryAt !== null || (begins && attempt.number > 1);
    const effects = failed ? [{ do: "fetch_turn", turn: event.turn }] : [];
    const context = event.context ?? state.context;
    return { state: withTurn({ ...state, context }, event.turn, changes), effects };
  },

  compaction(state, event, now) {
    const turn = state.turns[event.turn];
    const context = event.context ?? state.context;
    if (!turn || !isOpen(turn)) return { state: { ...state, context }, effects: [] };
    const changes = { compaction: compactionOf(event, now) };
    // The server's HTML shows the result.
    const effects = changes.compaction ? [] : [{ do: "fetch_turn", turn: event.turn }];
    return { state: withTurn({ ...state, context }, event.turn, changes), effects };
  },

  delta(state, event) {
    const turn = current(state, event);
    if (!turn) return same(state);
    if (turn.running?.id !== event.generation) return startOver(state);
    const shown = turn.running[event.part];
    if (!shown) return same(state);
    if (event.offset !== shown.text.length) return startOver(state);
    const grown = { ...shown, text: shown.text + event.text };
    return withPart(state, turn, event, grown);
  },

  block(state, event) {
    const turn = current(state, event);
    const shown = turn?.running?.id === event.generation && turn.running[event.part];
    if (!shown) return same(state);
    const covered = shown.blocks.at(-1)?.end ?? 0;
    // A duplicate, or of another text; the turn's HTML will have it.
    if (event.start < covered || event.end > shown.text.length) return same(state);
    const { index, start, end, html } = event;
    const blocks = [...shown.blocks, { index, start, end, html }];
    return withPart(state, turn, event, { ...shown, blocks });
  },

  text(state, event) {
    const turn = current(state, event);
    if (!turn) return same(state);
    const changes = { epoch: event.epoch, running: generation(event) };
    return { state: withTurn(state, event.turn, changes), effects: [] };
  },

  call(state, event, now) {
    const turn = state.turns[event.turn];
    if (!turn || !isOpen(turn)) return same(state);
    const before = turn.calls[event.call];
    const arguments_ = event.arguments || before?.arguments || "";
    const since = before?.state === event.state ? before.since : now;
    const call = { ...event, arguments: arguments_, since };
    const calls = { ...turn.calls, [event.call]: call };
    return {
      state: withTurn(state, event.turn, { calls }),
      effects: [{ do: "fetch_turn", turn: event.turn }],
    };
  },

  deleted(state) {
    return deleted(state);
  },

  // Another branch is shown: of its turns only a snapshot tells.
  branch(state, event) {
    const { state: fresh, effects } = startOver({ ...state, turns: {}, order: [] });
    return { state: fresh, effects: [{ do: "show_branch", turn: event.turn }, ...effects] };
  },

  // The form is the server's HTML.
  question(state, event) {
    const turn = state.turns[event.turn];
    if (!turn || !isOpen(turn)) return same(state);
    return { state, effects: [{ do: "fetch_turn", turn: event.turn }] };
  },

  subagent(state, event, now) {
    const turn = state.turns[event.turn];
    if (!turn || !isOpen(turn)) return same(state);
    const known = subagent(event, turn.subagents[event.call], now);
    const subagents = { ...turn.subagents, [event.call]: known };
    return { state: withTurn(state, event.turn, { subagents }), effects: [] };
  },

  progress(state, event) {
    const turn = state.turns[event.turn];
    const call = turn?.calls[event.call];
    if (!call || !isOpen(turn)) return same(state);
    const { progress, total, message } = event;
    const calls = { ...turn.calls, [event.call]: { ...call, reported: { progress, total, message } } };
    return { state: withTurn(state, event.turn, { calls }), effects: [] };
  },

  // The thumbs at an answer's foot, of whatever age it is.
  feedback(state, { turn }) {
    return { state, effects: [{ do: "feedback", turn }] };
  },

  todos(state, event) {
    return { state: { ...state, todos: event.items }, effects: [] };
  },

  conversation(state, event) {
    const isKept = state.isKept || event.temporary === false;
    return { state: { ...state, title: event.title, isKept }, effects: [] };
  },

  assistant(state, event) {
    return { state: { ...state, assistant: event.name }, effects: [] };
  },
};

// A turn of a branch that is not shown: its end is to be seen at the way to that branch.
function beside(state, event) {
  if (!FINAL.has(event.state)) return same(state);
  const elsewhere = state.elsewhere.filter((id) => id !== event.turn);
  return { state: { ...state, elsewhere }, effects: [{ do: "fetch_thread" }] };
}

// The turn of an event, unless the event is of an older epoch.
function current(state, event) {
  const turn = state.turns[event.turn];
  if (!turn || !isOpen(turn) || event.epoch < turn.epoch) return null;
  return turn;
}

function withPart(state, turn, event, shown) {
  const running = { ...turn.running, epoch: event.epoch, [event.part]: shown };
  return { state: withTurn(state, turn.id, { epoch: event.epoch, running }), effects: [] };
}
