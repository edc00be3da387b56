// What hangs below the shown round in the tree: its attempts and calls.

import { gettext, interpolate } from "../base/i18n.js";

// Puts the branches of a fetched round into the tree, unfolded; those of other rounds stay as they
// are, but none of them is current any more. Answers whether the tree has that round.
export function putBranches(page, fetched) {
  const branches = fetched.querySelector("[data-branches]");
  const tree = page.querySelector(".rounds");
  if (!branches || !tree) return true;
  for (const row of tree.querySelectorAll('[aria-current="location"]')) row.removeAttribute("aria-current");
  const { compaction } = fetched.querySelector("#round").dataset;
  if (compaction) tree.querySelector(`[data-compaction="${CSS.escape(compaction)}"]`)?.setAttribute("aria-current", "location");
  const number = branches.dataset.branches;
  const item = tree.querySelector(`[data-number="${CSS.escape(number)}"]`)?.closest("li");
  if (!item) return false;
  const fold = item.querySelector("details") ?? newFold(item, number);
  const focused = fold.querySelector("a:focus")?.getAttribute("href");
  fold.querySelector("[data-branches]")?.remove();
  fold.append(branches);
  fold.open = true;
  if (focused) [...branches.querySelectorAll("a")].find((row) => row.getAttribute("href") === focused)?.focus();
  return true;
}

// As the server makes it (templates/tracing/_rounds.html), from one that it made.
function newFold(item, number) {
  const fold = item.closest(".rounds").querySelector("details").cloneNode(true);
  fold.querySelector("summary").setAttribute("aria-label", interpolate(gettext("Attempts and calls of round %(number)s"), { number }));
  item.append(fold);
  return fold;
}
