// A search within a conversation: the messages that were found, and the current one. No DOM.

// `messages`: [{ message, turn }, …] in the order of the conversation; `at` is -1 without any. It
// begins at the last one, which is nearest to where a reader is.
export function begun(messages, isCut) {
  return { messages, isCut, at: messages.length - 1 };
}

// The search one message on (1) or back (-1); it goes on at the other end.
export function stepped(state, step) {
  const count = state.messages.length;
  return count ? { ...state, at: (state.at + step + count) % count } : state;
}

// The place of the current message in the address's form, null without one.
export function placeOf({ messages, at }) {
  const current = messages[at];
  return current ? `#turn-${current.turn}.message-${current.message}` : null;
}

// "3 of 12"; with "+" if there are more than were looked up.
export function countOf({ messages, at, isCut }) {
  return messages.length ? { n: at + 1, total: `${messages.length}${isCut ? "+" : ""}` } : null;
}
