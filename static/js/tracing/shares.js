// Dividing a whole among its parts. No DOM.

// Thousandths of the sum, whole numbers that sum to 1000: what is left over after rounding down goes
// to those that lost most by it, as `tracing/page/timeline/time_ledger.py` has it.
export function thousandths(counts) {
  const whole = counts.reduce((sum, count) => sum + count, 0);
  if (whole <= 0) return counts.map(() => 0);
  const exact = counts.map((count) => (count * 1000) / whole);
  const found = exact.map(Math.floor);
  const byLoss = [...exact.keys()].sort((a, b) => exact[b] - found[b] - (exact[a] - found[a]) || a - b);
  const left = 1000 - found.reduce((sum, count) => sum + count, 0);
  for (const place of byLoss.slice(0, left)) found[place] += 1;
  return found;
}

// 34.2 %, or that it is less than can be told.
export function shareText(tenths) {
  return tenths ? `${(tenths / 10).toFixed(1)} %` : "< 0.1 %";
}
