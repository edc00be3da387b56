// When a player shows what: recorded time made into playing time. No DOM, no clock.

// At 1×: what follows at once is given this long, so that an eye can follow …
const STEP_MS = 450;
// … and a wait that is longer than the first is played as the second.
export const LONG_MS = 3_000;
export const SHORTENED_MS = 1_200;
const INSTANT_STEP_MS = 350;

// [{ play, step, heard, waited }]: at `play` milliseconds of playing, the step at `step` is shown,
// of its response the first `heard` pieces (null: all of it). `waited` is null, or how many
// milliseconds really passed before this, where not all of them are played.
export function beatsOf(timeline, steps) {
  const beats = [];
  let clock = 0;
  let before = null;
  for (const moment of momentsOf(timeline, steps)) {
    const real = before === null ? 0 : Math.max(0, (moment.at - before.at) / 1000);
    const begins = before !== null && moment.step !== before.step;
    const waited = real > LONG_MS ? real : null;
    clock += waited === null ? Math.max(real, begins ? STEP_MS : 0) : SHORTENED_MS;
    beats.push({ play: clock, step: moment.step, heard: moment.heard, waited });
    before = moment;
  }
  return beats;
}

// Each step whole, one after the other, without a stream.
export function instantBeats(steps) {
  return steps.map((_, step) => ({ play: step * INSTANT_STEP_MS, step, heard: null, waited: null }));
}

// A response begins when its request has been sent, and is whole with its last piece.
export function momentsOf(timeline, steps) {
  return steps.flatMap(({ name, attempt: number, at }, step) => {
    if (name !== "response") return [{ at, step, heard: null }];
    const { pieces, sent } = timeline.attempts.find((attempt) => attempt.number === number);
    const arrivals = pieces.map(([time], place) => ({ at: time, step, heard: place + 1 }));
    return [{ at: sent, step, heard: 0 }, ...arrivals, { at, step, heard: null }];
  });
}

// The place of the latest beat at `play`; -1 before the first.
export function beatAt(beats, play) {
  let low = 0;
  let high = beats.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (beats[middle].play <= play) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

// From where to go on when a step, or so many pieces of its response, are shown: the playing time
// of that beat. What is whole is gone on from at its end.
export function resumeAt(beats, step, heard = null) {
  const found = beats.findLast(
    (beat) => beat.step === step && (heard === null || (beat.heard !== null && beat.heard <= heard)),
  );
  return found?.play ?? 0;
}
