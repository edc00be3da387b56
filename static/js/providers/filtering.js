// A field that filters the rows of the list or table that it names.

import { matches } from "./filter.js";

export function enableFilters(root) {
  for (const box of root.querySelectorAll("[data-filter]")) {
    const rows = root.querySelector(`#${box.dataset.filter}`);
    const nothing = rows.closest("fieldset, .panel").querySelector("[data-nothing]");
    const field = box.querySelector("input");
    box.hidden = false;
    field.addEventListener("input", () => {
      const left = show(rows, nothing, field.value);
      box.querySelector("output").textContent = field.value.trim() ? `${left} found` : "";
    });
  }
}

function show(rows, nothing, words) {
  let left = 0;
  for (const row of rows.querySelectorAll("[data-find]")) {
    row.hidden = !matches(row.dataset.find, words);
    left += row.hidden ? 0 : 1;
  }
  nothing.hidden = left > 0;
  return left;
}
