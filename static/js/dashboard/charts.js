// Reading a chart: the column under the pointer, or the one that the arrow keys are at, is marked,
// and its values stand below; Enter opens the traces that it counts.

const KEYS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

export function watchCharts(root) {
  root.addEventListener("pointerover", (event) => {
    const column = event.target.closest?.(".column");
    if (column) read(column);
  });
  root.addEventListener("pointerout", (event) => {
    const area = event.target.closest?.("[data-chart]");
    if (area && !area.contains(event.relatedTarget)) leave(area);
  });
  root.addEventListener("focusout", (event) => {
    if (event.target.matches?.("[data-chart]")) leave(event.target);
  });
  root.addEventListener("keydown", (event) => {
    if (event.target.matches?.("[data-chart]") && event.key === "Enter") open(event.target);
    if (event.target.matches?.("[data-chart]") && event.key in KEYS) {
      event.preventDefault();
      step(event.target, KEYS[event.key]);
    }
  });
}

// From the marked column, or from the end: the latest is asked for most.
function step(area, by) {
  const columns = [...area.querySelectorAll(".column")];
  const marked = columns.findIndex((column) => column.matches("[data-marked]"));
  const from = marked < 0 ? columns.length - (by < 0 ? 0 : 1) : marked;
  const next = Math.min(Math.max(from + by, 0), columns.length - 1);
  if (columns[next]) read(columns[next]);
}

// The list of what is in the marked column.
function open(area) {
  const link = area.querySelector(".column[data-marked] a");
  if (link) location.assign(link.href.baseVal ?? link.href);
}

function read(column) {
  const area = column.closest("[data-chart]");
  leave(area);
  column.setAttribute("data-marked", "");
  area.parentElement.querySelector("output").textContent = column.dataset.values;
}

function leave(area) {
  area.querySelector("[data-marked]")?.removeAttribute("data-marked");
  area.parentElement.querySelector("output").textContent = "";
}
