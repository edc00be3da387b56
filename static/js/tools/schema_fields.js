// The fields of a schema in the page: made from `schema_form`'s tree, read back as arguments.

import { gettext, interpolate } from "../base/i18n.js";
import { fieldsOf, valueOf } from "./schema_form.js";

let counter = 0;

// Fills `place`; answers a function that reads the arguments, or null if no form fits the schema.
export function makeFields(document, place, schema) {
  const fields = fieldsOf(schema);
  if (fields === null) return null;
  const parts = fields.map((made) => part(document, made));
  place.replaceChildren(...parts.map(({ node }) => node));
  if (parts.length === 0) place.append(line(document, "p", "faint", gettext("It takes no arguments.")));
  return () => gathered(parts);
}

function gathered(parts) {
  const found = {};
  for (const { made, read } of parts) {
    const value = read();
    if (value !== undefined) found[made.key] = value;
  }
  return found;
}

function part(document, made, initial = made.initial) {
  if (made.kind === "object") return objectPart(document, made, initial);
  if (made.kind === "array") return arrayPart(document, made, initial);
  return scalarPart(document, made, initial);
}

function objectPart(document, made, initial) {
  const node = document.createElement("fieldset");
  node.className = "try-group";
  const parts = made.fields.map((one) => part(document, one, initial?.[one.key] ?? one.initial));
  node.append(legend(document, made), ...parts.map((one) => one.node));
  const read = () => {
    const found = gathered(parts);
    return made.required || Object.keys(found).length > 0 ? found : undefined;
  };
  return { made, node, read };
}

function arrayPart(document, made, initial) {
  const node = document.createElement("fieldset");
  node.className = "try-group";
  const list = document.createElement("div");
  const add = document.createElement("button");
  add.type = "button";
  add.className = "button";
  add.textContent = interpolate(gettext("Add to %(label)s"), { label: made.label });
  const parts = [];
  const append = (value) => {
    const one = part(document, made.item(`${made.label} ${parts.length + 1}`), value);
    const row = document.createElement("div");
    row.className = "try-item";
    const remove = document.createElement("button");
    remove.type = "button";
    remove.className = "button button-quiet";
    remove.textContent = gettext("Remove");
    remove.setAttribute("aria-label", interpolate(gettext("Remove from %(label)s"), { label: made.label }));
    remove.addEventListener("click", () => {
      parts.splice(parts.indexOf(one), 1);
      row.remove();
      add.focus();
    });
    row.append(one.node, remove);
    list.append(row);
    parts.push(one);
    return one;
  };
  add.addEventListener("click", () => append().node.querySelector("input, select, textarea")?.focus());
  if (Array.isArray(initial)) for (const value of initial.slice(0, 50)) append(value);
  node.append(legend(document, made), list, add);
  const read = () => {
    const found = parts.map((one) => one.read()).filter((value) => value !== undefined);
    return made.required || found.length > 0 ? found : undefined;
  };
  return { made, node, read };
}

function scalarPart(document, made, initial) {
  counter += 1;
  const id = `argument-${counter}`;
  const node = document.createElement("div");
  node.className = "field";
  const label = line(document, "label", "", made.label);
  label.htmlFor = id;
  label.dir = "auto";
  if (made.required) label.append(line(document, "span", "faint", " required"));
  const control = controlOf(document, made, initial);
  control.id = id;
  control.autocomplete = "off";
  if (made.required) control.setAttribute("aria-required", "true");
  node.append(label, control);
  if (made.help) {
    const help = line(document, "p", "help", made.help);
    help.id = `${id}-help`;
    help.dir = "auto";
    control.setAttribute("aria-describedby", help.id);
    node.append(help);
  }
  return { made, node, read: () => valueOf(made, control.value) };
}

function controlOf(document, made, initial) {
  if (made.kind === "enum" || made.kind === "boolean") return selectOf(document, made, initial);
  const isLong = made.kind === "json" || made.kind === "text";
  const control = document.createElement(isLong ? "textarea" : "input");
  if (isLong) control.rows = 3;
  if (made.kind === "number" || made.kind === "integer") control.inputMode = "decimal";
  if (!isLong) control.type = "text";
  if (made.kind === "json") control.placeholder = "JSON";
  control.spellcheck = false;
  if (initial !== undefined && initial !== null) {
    const plain = made.kind === "json" || typeof initial === "object";
    control.value = plain ? JSON.stringify(initial) : String(initial);
  }
  return control;
}

function selectOf(document, made, initial) {
  const control = document.createElement("select");
  const options =
    made.kind === "boolean"
      ? [["true", "true", true], ["false", "false", false]]
      : made.options.map(({ value, label }, at) => [String(at), label, value]);
  control.append(new Option("", ""));
  for (const [value, label, means] of options) {
    const isChosen = initial !== undefined && JSON.stringify(means) === JSON.stringify(initial);
    control.append(new Option(label, value, isChosen, isChosen));
  }
  return control;
}

function legend(document, made) {
  const made_legend = line(document, "legend", "", made.label);
  if (made.required) made_legend.append(line(document, "span", "faint", " required"));
  if (made.help) made_legend.append(line(document, "span", "help", ` ${made.help}`));
  return made_legend;
}

function line(document, tag, kind, text) {
  const node = document.createElement(tag);
  if (kind) node.className = kind;
  node.textContent = text;
  return node;
}
