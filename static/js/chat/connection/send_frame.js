// The frame that sends a message of the outbox (docs/protocol.md, `send`). No DOM.
//
// A message is { key, conversation, model, text, attachments } with
// - `again`: the message that is sent once more;
// - `note`: whether it goes into the running turn;
// - `alternative`: { edit }, the user message in whose place it begins a branch;
// - `compare`: who answers side by side, { kind, id, name }, of which kind is "model" or "preset";
// - for a conversation that it begins: { tools, skills, preset, temporary, project }.

import { tooLong } from "../composer/outbox.js";

// { frame, problem }: `problem` is a sentence on why it cannot be sent, or null.
export function sendFrame({ key, conversation, model, text, ...message }) {
  const begins = conversation === null ? beginsOf(message) : {};
  const frame = { type: "send", key, conversation, model, text, ...namedOf(message), ...begins };
  return { frame, problem: tooLong(text + JSON.stringify(begins)) };
}

function namedOf({ attachments, again, note, alternative, compare }) {
  const ids = (attachments ?? []).map(({ id }) => id);
  return {
    ...(ids.length && { attachments: ids }),
    ...(again && { again }),
    ...(note && { note }),
    ...(alternative && { edit: alternative.edit }),
    ...(compare && { compare: compare.map(({ kind, id }) => ({ [kind]: id })) }),
  };
}

function beginsOf({ tools, skills, preset, temporary, project }) {
  const begins = Object.entries({ tools, skills, preset, temporary, project });
  return Object.fromEntries(begins.filter(([, value]) => value));
}
