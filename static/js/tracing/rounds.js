// Where a step from round to round leads. No DOM.

// The round that a step leads to, or null where there is none; `numbers` are the rounds in order.
export function target(step, numbers, current) {
  const place = numbers.indexOf(current);
  const places = { first: 0, previous: place - 1, next: place + 1, last: numbers.length - 1 };
  const number = numbers[places[step]];
  return number === undefined || number === current ? null : number;
}
