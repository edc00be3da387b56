// The ledgers of what runs: the part that goes on grows, and the others' shares with it.

import { shareText, thousandths } from "./shares.js";

// `passed` is how many milliseconds ago the page had what it shows of the ledger.
export function growLedger(ledger, passed) {
  const items = [...ledger.querySelectorAll("[data-ms]")];
  const lengths = items.map((item) => Number(item.dataset.ms) + (item.dataset.grows === undefined ? 0 : passed));
  const shares = thousandths(lengths);
  const whole = lengths.reduce((sum, length) => sum + length, 0);
  const bars = [...ledger.querySelectorAll(".ledger-bar rect")];
  let x = 0;
  items.forEach((item, place) => {
    item.querySelector("[data-share]").textContent = shareText(shares[place]);
    const width = whole > 0 ? (lengths[place] * 1000) / whole : 0;
    bars[place]?.setAttribute("x", x.toFixed(1));
    bars[place]?.setAttribute("width", width.toFixed(1));
    x += width;
  });
}
