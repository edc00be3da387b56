// Which tools a conversation offers, as switches say it. Knows no DOM.
//
// A row: { name, tools: [{ name, on, optIn, tokens }] }. A choice: { servers: [names], off: [names of
// tools], on: [names of tools that have to be named] }.

import { gettext, interpolate, ngettext } from "../../base/i18n.js";

const WEB = ["web_search", "fetch_page"];

export function choiceOf(rows) {
  const chosen = rows.filter((row) => usual(row).some((tool) => tool.on));
  return {
    servers: chosen.map((row) => row.name),
    off: chosen.flatMap((row) => names(usual(row).filter((tool) => !tool.on))),
    on: rows.flatMap((row) => names(row.tools.filter((tool) => tool.optIn && tool.on))),
  };
}

export function countOf(rows) {
  return switchedOn(rows).length;
}

// What the tools that are on cost; `most` is how many are sent in full, 0 for all of them.
export function noteOf(rows, most) {
  const on = switchedOn(rows);
  const tokens = on.reduce((sum, tool) => sum + tool.tokens, 0).toLocaleString("en");
  if (on.length === 0) return gettext("No tool is on.");
  if (most > 0 && on.length > most) {
    return interpolate(gettext("%(count)s tools, %(most)s sent, the model can search the rest. All of them would be about %(tokens)s tokens."), { count: on.length, most, tokens });
  }
  const sentence = ngettext(
    "%(count)s tool, sent with each request: about %(tokens)s tokens.",
    "%(count)s tools, all sent with each request: about %(tokens)s tokens.",
    on.length,
  );
  return interpolate(sentence, { count: on.length, tokens });
}

// Whether the web's tools are on; null where none may be used.
export function webOf(rows) {
  const tools = rows.filter((row) => row.name === "").flatMap((row) => row.tools);
  const ofWeb = tools.filter((tool) => WEB.includes(tool.name));
  return ofWeb.length === 0 ? null : ofWeb.some((tool) => tool.on);
}

function usual(row) {
  return row.tools.filter((tool) => !tool.optIn);
}

function switchedOn(rows) {
  return rows.flatMap((row) => row.tools.filter((tool) => tool.on));
}

function names(tools) {
  return tools.map((tool) => tool.name);
}
