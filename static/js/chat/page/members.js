// What members of a group may do in a conversation that is shared with them.

// Whether this person may stop a turn and decide about its calls: the owner any, a member those that
// they wrote.
export function mayChange(turn, page) {
  if (turn === null) return false;
  const { member } = page.dataset;
  return member === undefined || turn.author === undefined || turn.author === member;
}
