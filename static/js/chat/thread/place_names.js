// What the names of places in a thread say: #turn-…, #round-…-2, #turn-….message-…, #call-…. No DOM.

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const IN_TURN = new RegExp(`^#(?:turn|round)-(${UUID})(?:-\\d+|\\.message-(${UUID}))?$`);

// The turn that a place belongs to, null where its name does not tell.
export function turnOf(hash) {
  return IN_TURN.exec(hash)?.[1] ?? null;
}

// The message that a place is, null where it is another thing.
export function messageOf(hash) {
  return IN_TURN.exec(hash)?.[2] ?? null;
}
