// The list of rounds while a turn runs: whoever has its last round in sight keeps it in sight, and
// whoever has scrolled away stays where they are.

const SLACK = 4;

// Where the list is scrolled to, and whether its last round is in sight.
export function placeOf(list) {
  const last = lastRound(list);
  const { top, bottom } = list.getBoundingClientRect();
  const line = last?.getBoundingClientRect();
  const follows = Boolean(line) && line.bottom > top && line.top < bottom - SLACK;
  return { top: list.scrollTop, follows };
}

// The same of the list that has come in place of it.
export function keepPlace(list, { top, follows }) {
  list.scrollTop = top;
  const item = follows && lastRound(list)?.closest("li");
  if (!item) return;
  const bounds = list.getBoundingClientRect();
  const { top: start, bottom: end } = item.getBoundingClientRect();
  // Its end, so that its calls are seen, but never past its own line.
  if (end > bottomOf(list)) list.scrollTop += Math.min(end - bottomOf(list), start - bounds.top);
}

function bottomOf(list) {
  return Math.min(list.getBoundingClientRect().bottom, innerHeight);
}

function lastRound(list) {
  return [...list.querySelectorAll("a.round-link")].at(-1);
}
