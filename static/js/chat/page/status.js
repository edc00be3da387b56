// The line under a running answer: what is happening, and since when. No DOM, no clock.

import { gettext, interpolate } from "../../base/i18n.js";
import { waitsForYou } from "../thread/waiting.js";
import { CALL_ENDED, toolName } from "../thread/words.js";

export const OFFLINE = {
  text: gettext("offline · the answer continues on the server"),
  since: null,
  kind: "offline",
};

// Returns { text, since, kind }: `since` (ms) is when this began, or null; `kind` is "waiting" while
// a person has to act. `now` counts down to a retry.
export function statusOf(turn, now, isBehind = false) {
  if (turn.state === "queued") return queued(turn, isBehind);
  return compacting(turn) ?? waitingForRetry(turn, now) ?? callsOf(turn) ?? modelOf(turn);
}

function queued(turn, isBehind) {
  const text = isBehind ? gettext("waiting for the previous answer") : gettext("waiting for a worker");
  return { text, since: turn.since, kind: "running" };
}

function compacting(turn) {
  if (!turn.compaction) return null;
  return { text: gettext("summarising older messages"), since: turn.compaction.since, kind: "running" };
}

function waitingForRetry(turn, now) {
  const attempt = turn.attempt;
  if (attempt?.state !== "failed" || attempt.retryAt === null) return null;
  const seconds = Math.max(0, Math.ceil((attempt.retryAt - now) / 1000));
  const number = attempt.number + 1;
  const text =
    seconds > 0
      ? interpolate(gettext("retrying in %(time)s (attempt %(number)s)"), { time: countdown(seconds), number })
      : interpolate(gettext("retrying now (attempt %(number)s)"), { number });
  return { text, since: null, kind: "running" };
}

function countdown(seconds) {
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function callsOf(turn) {
  const round = turn.attempt?.round ?? turn.running?.round ?? 0;
  const calls = Object.values(turn.calls).filter(
    (call) => call.round >= round && !CALL_ENDED.has(call.state),
  );
  if (turn.attempt?.state === "running" || calls.length === 0) return null;
  const asking = calls.flatMap((call) => askedBy(call, turn.subagents[call.call]));
  if (asking.length > 0) {
    const which = asking.length === 1 ? asking[0].name : interpolate(gettext("%(count)s calls"), { count: asking.length });
    return { text: interpolate(gettext("waits for you: %(which)s"), { which }), since: asking[0].since, kind: "waiting" };
  }
  const since = Math.min(...calls.map((call) => call.since));
  return { text: doingWith(calls), since, kind: "running" };
}

// What waits for the person: a call, or calls of the subagent that it began.
function askedBy(call, subagent) {
  if (!waitsForYou(call, subagent)) return [];
  if (!call.subagent) return [{ name: nameOf(call), since: call.since }];
  const name = interpolate(gettext("%(call)s of a subagent"), { call: subagent.waits_for[0] });
  return subagent.waiting.map(() => ({ name, since: subagent.waitsSince }));
}

function doingWith(calls) {
  if (calls.every((call) => call.subagent)) {
    return calls.length === 1 ? gettext("a subagent is working") : interpolate(gettext("%(count)s subagents are working"), { count: calls.length });
  }
  return calls.length === 1
    ? interpolate(gettext("calling %(name)s"), { name: nameOf(calls[0]) })
    : interpolate(gettext("calling %(count)s tools"), { count: calls.length });
}

function nameOf(call) {
  const name = toolName(call);
  return call.server ? `${call.server} · ${name}` : name;
}

function modelOf(turn) {
  const isCalled = turn.state === "streaming" || turn.attempt?.state === "running";
  if (!isCalled) return { text: gettext("waiting for tools"), since: turn.since, kind: "running" };
  const since = turn.attempt?.since ?? turn.since;
  return { text: `${doing(turn)}${again(turn)}`, since, kind: "running" };
}

function doing(turn) {
  if (turn.running?.calls?.text) return gettext("writing a tool call");
  if (turn.running?.content.text) return gettext("writing");
  if (turn.running?.reasoning.text) return gettext("thinking");
  return gettext("waiting for the model");
}

function again(turn) {
  return turn.attempt?.number > 1 ? interpolate(gettext(" (attempt %(number)s)"), { number: turn.attempt.number }) : "";
}
