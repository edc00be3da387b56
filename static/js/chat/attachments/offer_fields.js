// The fields for the variables of a prompt.

import { gettext, interpolate } from "../../base/i18n.js";

const ROWS = 4;

// `variables` as MCP writes arguments: { name, description, required }, with { default, is_multiline }
// for prompts of people.
export function fieldsOf(document, variables) {
  return variables.map((variable) => {
    const label = document.createElement("label");
    const name = span(document, "", nameOf(variable));
    name.dir = "auto";
    label.append(name, field(document, variable));
    if (variable.description) label.append(span(document, "faint", variable.description));
    return label;
  });
}

// The texts by the names of their variables; without the empty ones if a server is asked.
export function valuesOf(form, isForServer) {
  const fields = [...form.querySelectorAll("[data-variable]")].filter(({ value }) => value || !isForServer);
  return Object.fromEntries(fields.map((one) => [one.name, one.value]));
}

function nameOf({ name, required }) {
  return required ? interpolate(gettext("%(name)s (required)"), { name }) : name;
}

function field(document, { name, required, is_multiline, default: value = "" }) {
  const element = document.createElement(is_multiline ? "textarea" : "input");
  if (is_multiline) element.rows = ROWS;
  element.dataset.variable = "";
  Object.assign(element, { name, value, required: Boolean(required), dir: "auto", autocomplete: "off" });
  return element;
}

function span(document, className, text) {
  const element = document.createElement("span");
  element.className = className;
  element.textContent = text;
  return element;
}
