// Moving through the rows of the tree by key.

const ROWS = "[data-row], .rounds a";

// Focuses the row after or before the one that has the focus, or is current, and opens it.
export function moveRow(page, by) {
  const rows = [...page.querySelectorAll(ROWS)].filter((row) => row.checkVisibility());
  const here = rows.findIndex((row) => row === row.ownerDocument.activeElement);
  // The round is current too, while one of its rows is shown.
  const shown = rows.findIndex((row) => row.getAttribute("aria-current") === "location");
  const current = shown === -1 ? rows.findLastIndex((row) => row.hasAttribute("aria-current")) : shown;
  const from = here === -1 ? current : here;
  const row = rows[Math.min(Math.max(from + by, 0), rows.length - 1)];
  if (!row) return;
  row.focus();
  // Those of subagents lead to another page: Enter opens them.
  if (row.matches("a[data-swap], a.rounds-more")) row.click();
}
