// The cells of a table as values: in order, and as CSV. No DOM.

const NUMBER = /^[-+−]?(?:[$€£¥]\s?)?[-+−]?(?:\d{1,3}(?:[, \u00a0\u202f]\d{3})+|\d+)?(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
const UNIT = /\s*(?:%|‰|°|[a-zA-Zµ$€£¥元]{1,4})$/;
// Characters: what is longer is no number, and not worth looking at.
const MAX_NUMBER = 60;
const order = new Intl.Collator(undefined, { numeric: true });

// The number that a cell shows, with a unit or a sign of money; NaN if it shows none.
export function numberOf(text) {
  const shown = text.trim();
  if (shown.length > MAX_NUMBER) return Number.NaN;
  const bare = shown.replace(UNIT, "");
  if (!/\d/.test(bare) || !NUMBER.test(bare)) return Number.NaN;
  return Number(bare.replaceAll("−", "-").replace(/[$€£¥,\s\u00a0\u202f]/g, ""));
}

// The places of the rows in ascending order of these cells: as numbers if all are, empty ones last.
export function ascending(cells) {
  const places = cells.map((_, place) => place);
  const numbers = cells.map(numberOf);
  const isEmpty = cells.map((cell) => cell.trim() === "");
  const areNumbers = cells.every((_, place) => isEmpty[place] || !Number.isNaN(numbers[place]));
  const compare = areNumbers
    ? (a, b) => numbers[a] - numbers[b]
    : (a, b) => order.compare(cells[a], cells[b]);
  return places.sort((a, b) => isEmpty[a] - isEmpty[b] || (isEmpty[a] ? 0 : compare(a, b)));
}

// RFC 4180. What a spreadsheet would calculate gets an apostrophe.
export function csv(rows) {
  return rows.map((row) => row.map(field).join(",")).join("\r\n");
}

function field(text) {
  const isFormula = /^[=@\t]/.test(text) || (/^[-+]/.test(text) && Number.isNaN(numberOf(text)));
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
