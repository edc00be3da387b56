// Where a step leads. No DOM.

// The round that a step leads to, or null where there is none; `numbers` are the rounds in order.
export function target(step, numbers, current) {
  const place = numbers.indexOf(current);
  const places = { first: 0, previous: place - 1, next: place + 1, last: numbers.length - 1 };
  const number = numbers[places[step]];
  return number === undefined || number === current ? null : number;
}

const KEYS = new Map([
  ["ArrowLeft", "previous"],
  ["ArrowRight", "next"],
  ["[", "previous"],
  ["]", "next"],
  ["Home", "first"],
  ["End", "last"],
]);

// The step that a key press asks for, or null. `inside` is where the focus is: in a "field" all keys
// are the field's, in a "scroller" those that lead to its ends.
export function stepOf({ key, altKey, ctrlKey, metaKey, shiftKey }, inside) {
  if (altKey || ctrlKey || metaKey || shiftKey || inside === "field") return null;
  if (inside === "scroller" && (key === "Home" || key === "End")) return null;
  return KEYS.get(key) ?? null;
}

// The query of a round's place: how stages are shown is kept, what belongs to the round before not.
export function placeOf(search, number) {
  const query = new URLSearchParams({ round: number });
  const before = new URLSearchParams(search);
  for (const name of ["view", "request", "response"]) {
    if (before.has(name)) query.set(name, before.get(name));
  }
  return `?${query}`;
}

// The address of the part of a page for a place: its round in the path, the rest in the query.
export function partUrl(roundUrl, search) {
  const query = new URLSearchParams(search);
  const number = query.get("round");
  query.delete("round");
  const rest = query.toString();
  return roundUrl.replace(/0$/, number) + (rest ? `?${rest}` : "");
}
