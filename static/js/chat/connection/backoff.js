// The pause before the next attempt to connect: doubling, with jitter, at most 15 s.

const FIRST_MS = 300;
const MOST_MS = 15_000;

export function delay(attempt, random = Math.random) {
  const most = Math.min(MOST_MS, FIRST_MS * 2 ** attempt);
  return most / 2 + random() * (most / 2);
}
