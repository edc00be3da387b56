// What can be inserted into a message, as one list, and its filter. No DOM.

import { gettext } from "../../base/i18n.js";
import { matches } from "../../providers/filter.js";

// Rows { kind, one, name, from, about } of what the server offers: prompts of people, prompts of
// servers, skills, resources.
export function rowsOf({ templates = [], prompts = [], skills = [], resources = [] }) {
  return [
    ...templates.map((one) => row("template", one, one.is_shared ? gettext("For everybody") : "")),
    ...prompts.map((one) => row("prompt", one, one.server)),
    ...skills.map((one) => row("skill", one, gettext("Skill"))),
    ...resources.map((one) => row("resource", one, one.server)),
  ];
}

function row(kind, one, from) {
  const title = one.title || one.name || one.uri;
  const name = kind === "resource" ? title : `/${title}`;
  return { kind, one, name, from, about: one.description || one.uri || "" };
}

// Whether every word occurs in the row's texts; a leading `/` is ignored.
export function fits({ one, name, from, about }, typed) {
  const all = [from, name, one.name, about, one.uri].filter(Boolean).join(" ");
  return matches(all, typed.trim().replace(/^\//, ""));
}

// Whether something is to be asked before it can be inserted.
export function hasFields({ kind, one }) {
  return (kind === "prompt" || kind === "template") && Boolean(one.arguments?.length);
}
