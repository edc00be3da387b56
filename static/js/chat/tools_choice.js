// Which tools a conversation offers, as switches say it. Knows no DOM.
//
// A row: { name, tools: [{ name, on }] }. A choice: { servers: [names], off: [names of tools] }.

export function choiceOf(rows) {
  const on = rows.filter((row) => row.tools.some((tool) => tool.on));
  return {
    servers: on.map((row) => row.name),
    off: on.flatMap((row) => row.tools.filter((tool) => !tool.on).map((tool) => tool.name)),
  };
}

export function countOf(rows) {
  return rows.reduce((sum, row) => sum + row.tools.filter((tool) => tool.on).length, 0);
}
