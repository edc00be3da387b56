// The steps of a round in the order in which they happened, and what is to be seen at each of them.
// No DOM. A timeline is the JSON of tracing/page/timeline/player.py; times are microseconds since the round began.

import { gettext, interpolate } from "../../base/i18n.js";

export const STAGES = ["input", "request", "response", "output"];
const MOMENTS = ["proposed", "started", "ended"];

// [{ name, attempt, call, at }]: the four stages of each attempt, the wait for the next attempt,
// and what became of each call, as it happened to come between the others'.
export function stepsOf({ attempts, calls }) {
  const last = attempts.at(-1)?.number ?? null;
  return [
    ...attempts.flatMap(attemptSteps),
    ...calls.flatMap((call, place) => callSteps(call, place, last)).sort((a, b) => a.at - b.at),
  ];
}

function attemptSteps(attempt) {
  const { number, stages, started, sent, ended, pieces, retry_in: wait } = attempt;
  const end = ended ?? pieces.at(-1)?.[0] ?? sent;
  const times = { input: started, request: sent, response: pieces.at(-1)?.[0] ?? end, output: end };
  const steps = STAGES.filter((name) => name === "input" || stages.includes(name)).map((name) => ({
    name,
    attempt: number,
    call: null,
    at: times[name],
  }));
  if (wait !== null) steps.push({ name: "wait", attempt: number, call: null, at: end });
  return steps;
}

function callSteps(call, place, attempt) {
  return MOMENTS.filter((moment) => call[moment] !== null).map((moment) => ({
    name: `call-${place + 1}-${moment}`,
    attempt,
    call: place,
    at: call[moment],
  }));
}

// The place of a step among `steps`, -1 for one that is not there. Without an attempt the last is
// meant; "last" is the last step of all.
export function find(steps, name, attempt = null) {
  if (name === "last") return steps.length - 1;
  const wanted = attempt ?? steps.at(-1)?.attempt ?? null;
  return steps.findIndex((step) => step.name === name && step.attempt === wanted);
}

// What is to be seen when the step at `index` has been reached: of each stage of the step's attempt,
// and of each call, whether it is "past", "now" or "future"; `heard` is the number of the response's
// pieces that have come, null for all of it.
export function shownAt(timeline, steps, index, heard = null) {
  const { name, attempt } = steps[index];
  return {
    attempt,
    stages: Object.fromEntries(STAGES.map((stage) => [stage, tense(steps, index, stage)])),
    calls: timeline.calls.map((_, place) => ({
      moment: momentOf(steps, index, place),
      isNow: steps[index].call === place,
    })),
    heard: name === "response" ? heard : null,
    waits: name === "wait",
  };
}

// A stage that nothing was recorded of is over when its attempt is: then it can say so.
function tense(steps, index, stage) {
  const { attempt } = steps[index];
  const own = steps.findIndex((step) => step.name === stage && step.attempt === attempt);
  if (own === index) return "now";
  if (own !== -1) return own < index ? "past" : "future";
  const last = steps.findLastIndex((step) => step.attempt === attempt && STAGES.includes(step.name));
  return index >= last ? "past" : "future";
}

function momentOf(steps, index, place) {
  const reached = steps.slice(0, index + 1).findLast((step) => step.call === place);
  return reached ? reached.name.split("-").at(-1) : "future";
}

// The texts of the response's parts after `count` pieces.
export function textsAfter(attempt, count) {
  const texts = attempt.parts.map(() => "");
  for (const [, part, text, restarts] of attempt.pieces.slice(0, count)) {
    texts[part] = restarts ? text : texts[part] + text;
  }
  return texts;
}

// How many pieces had come by so many microseconds after the first was sent for.
export function heardBy(attempt, at) {
  const count = attempt.pieces.findIndex(([time]) => time > at);
  return count === -1 ? attempt.pieces.length : count;
}

function stageName(name) {
  return { input: gettext("input"), request: gettext("request"), response: gettext("response"), output: gettext("output") }[name];
}

// A step in words.
export function words(timeline, step) {
  const several = timeline.attempts.length > 1 ? interpolate(gettext(" of attempt %(attempt)s"), { attempt: step.attempt }) : "";
  if (step.call === null) return step.name === "wait" ? gettext("waiting to try again") : stageName(step.name) + several;
  const { name } = timeline.calls[step.call];
  const state = { proposed: gettext("asked for"), started: gettext("running"), ended: gettext("result") };
  const number = timeline.calls.length > 1 ? ` ${step.call + 1}` : "";
  return interpolate(gettext("call%(number)s %(state)s · %(name)s"), { number, state: state[step.name.split("-").at(-1)], name });
}
