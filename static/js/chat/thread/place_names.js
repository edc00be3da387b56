// Parses the names of places in a thread: #turn-…, #round-…-2, #turn-….message-…, #call-…. No DOM.

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const IN_TURN = new RegExp(`^#(?:turn|round)-(${UUID})(?:-\\d+|\\.message-(${UUID}))?$`);

// The turn of a place, null if its name has none.
export function turnOf(hash) {
  return IN_TURN.exec(hash)?.[1] ?? null;
}

// The message of a place, null if it is none.
export function messageOf(hash) {
  return IN_TURN.exec(hash)?.[2] ?? null;
}
