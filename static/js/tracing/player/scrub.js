// Places in the time of a turn: which round a moment belongs to, and what was to be seen then. No DOM.

// [{ number, start, end }] of "1:0:1400 2:1420:1900": milliseconds since the turn began.
export function readRounds(text) {
  return text
    .split(" ")
    .filter(Boolean)
    .map((one) => one.split(":").map(Number))
    .map(([number, start, end]) => ({ number, start, end }));
}

// The round that went on at so many milliseconds, or had ended last; before all of them the first.
export function roundAt(rounds, ms) {
  return rounds.findLast(({ start }) => start <= ms) ?? rounds[0] ?? null;
}

// The latest of moments at `us`, as beats.js makes them, else the first.
export function momentAt(moments, us) {
  return moments.reduce((latest, moment) => (moment.at <= us && moment.at >= latest.at ? moment : latest), moments[0]);
}

// How far a moment is within a stretch, from 0 to 1.
export function share(ms, { start, end }) {
  return Math.min(1, Math.max(0, (ms - start) / Math.max(1, end - start)));
}
