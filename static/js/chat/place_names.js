// What the names of places in a thread say. No DOM.

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const IN_TURN = new RegExp(`^#(?:turn|round)-(${UUID})(?:-\\d+)?$`);

// The turn that a place belongs to, null where its name does not tell.
export function turnOf(hash) {
  return IN_TURN.exec(hash)?.[1] ?? null;
}
