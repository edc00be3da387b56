// <table-tools> below a table: copies it as CSV. Sorts tables by the buttons in their heads.

import { copy } from "../copy.js";
import { gettext } from "../i18n.js";
import { makeButton } from "./buttons.js";
import { plainText } from "./copied_text.js";
import { ascending, csv } from "./table_values.js";

class TableTools extends HTMLElement {
  connectedCallback() {
    if (this.firstChild) return;
    const press = () => copy(document, csv(valuesOf(this.#table)));
    this.append(makeButton(document, { name: "copy", text: gettext("Copy as CSV"), press }));
  }

  get #table() {
    return this.closest(".table-block").querySelector("table");
  }
}

function valuesOf(table) {
  return [...table.rows].map((row) => [...row.cells].map((cell) => plainText(cell).trim()));
}

// The rows of a sorted table as they came.
const orders = new WeakMap();

// Ascending, descending, as it came.
function sort(head) {
  const table = head.closest("table");
  const [body] = table.tBodies;
  if (!body) return;
  if (!orders.has(body)) orders.set(body, [...body.rows]);
  const rows = orders.get(body);
  const next = { ascending: "descending", descending: null }[head.ariaSort] ?? (head.ariaSort ? null : "ascending");
  for (const cell of head.parentElement.cells) cell.removeAttribute("aria-sort");
  if (next) head.setAttribute("aria-sort", next);
  body.append(...(next ? inOrder(rows, head.cellIndex, next) : rows));
}

function inOrder(rows, column, direction) {
  const cells = rows.map((row) => (row.cells[column] ? plainText(row.cells[column]) : ""));
  const places = ascending(cells);
  if (direction === "descending") places.reverse();
  return places.map((place) => rows[place]);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("th > button.sort");
  if (button) sort(button.parentElement);
});

customElements.define("table-tools", TableTools);
