// Where the trace page is, which is what its address says. No DOM.

// What belongs to a round, or to a step in it, and is left behind with it.
const OWN = ["round", "attempt", "step", "at", "unfold", "page", "part", "byte", "find", "span", "stage", "bytes"];

// { round, attempt, step, at }: null for what is not said. `at` is milliseconds since the round
// began, in the middle of a response.
export function readPlace(search) {
  const query = new URLSearchParams(search);
  return {
    round: number(query.get("round")),
    attempt: number(query.get("attempt")),
    step: query.get("step"),
    at: number(query.get("at")),
  };
}

function number(text) {
  return /^\d{1,12}$/.test(text ?? "") ? Number(text) : null;
}

// The query of a round's place: how things are shown is kept, what belongs to the place before not.
export function placeOf(search, round, { attempt = null, step = null, at = null } = {}) {
  const query = new URLSearchParams({ round });
  if (attempt !== null) query.set("attempt", attempt);
  if (step !== null) query.set("step", step);
  if (at !== null) query.set("at", at);
  for (const [name, value] of new URLSearchParams(search)) {
    if (!OWN.includes(name)) query.set(name, value);
  }
  return `?${query}`;
}

// A link's address with the step that is shown, if it leads to another look at the same attempt.
export function keepStep(search, href) {
  const [before, query] = [readPlace(search), href.split("#")[0]];
  const after = readPlace(query);
  if (before.step === null || after.step !== null) return href;
  if (after.round !== before.round || after.attempt !== before.attempt) return href;
  // Whoever chooses a span wants to see it.
  if (new URLSearchParams(query).get("span") !== new URLSearchParams(search).get("span")) return href;
  const kept = new URLSearchParams(query);
  kept.set("step", before.step);
  return `?${kept}${href.slice(query.length)}`;
}

// The address of the part of a page for a place: its round in the path, the rest in the query. The
// step is the player's affair.
export function partUrl(roundUrl, search) {
  const query = new URLSearchParams(search);
  const round = query.get("round");
  for (const name of ["round", "step", "at"]) query.delete(name);
  const rest = query.toString();
  return roundUrl.replace(/0$/, round) + (rest ? `?${rest}` : "");
}
