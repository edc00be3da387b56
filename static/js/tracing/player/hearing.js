// What a running turn is saying at this moment. The owner hears it over the conversation's
// websocket, the staff who watch another's trace ask for it again and again.

import { Socket } from "../../chat/connection/socket.js";
import { initial, reconnected, reduce } from "../../chat/connection/state.js";
import { get } from "../reader/parts.js";

const OPEN_PAUSE_MS = 300;
const ASK_MS = 700;

// `hears({ generation, round, content, reasoning } or null)` at each change, `changed()` when
// something else has happened to the turn. Answers a function that ends it.
export function hear(dataset, { hears, changed }) {
  const { conversation, turn, socketUrl, heardUrl } = dataset;
  if (turn && conversation && socketUrl) return listen(conversation, turn, socketUrl, { hears, changed });
  return heardUrl ? ask(heardUrl, hears) : () => {};
}

function listen(conversation, turn, url, { hears, changed }) {
  const socket = new Socket(url);
  let state = initial(conversation);
  let opens = null;
  const open = () => {
    opens = null;
    socket.send({ type: "open", conversation, cursor: state.cursor });
  };
  socket.addEventListener("ready", () => {
    state = reconnected(state);
    open();
  });
  socket.addEventListener("frames", ({ detail }) => {
    const before = state.turns[turn];
    for (const frame of detail) {
      const step = reduce(state, frame, performance.now());
      state = step.state;
      if (step.effects.some((effect) => effect.do === "open")) opens ??= setTimeout(open, OPEN_PAUSE_MS);
      if (["turn", "generation", "call"].includes(frame.type) && frame.turn === turn) changed();
    }
    if (state.turns[turn] !== before) hears(saidIn(state.turns[turn]?.running));
  });
  socket.connect();
  return () => socket.close();
}

function saidIn(running) {
  if (!running) return null;
  const { id, round, content, reasoning } = running;
  return { generation: id, round, content: content.text, reasoning: reasoning.text };
}

function ask(url, hears) {
  let timer = null;
  const look = async () => {
    const text = document.hidden ? null : await get(url);
    if (timer === null) return;
    if (text) hears(JSON.parse(text).running);
    timer = setTimeout(look, ASK_MS);
  };
  timer = setTimeout(look, 0);
  return () => {
    clearTimeout(timer);
    timer = null;
  };
}
