// A JSON Schema as a tree of fields, and the arguments that were typed into it. Knows no DOM.
//
// A field: { path, key, kind, label, help, required, initial, options, fields, item }. Kinds are
// string, text, number, integer, boolean, enum, object, array and json; what a form cannot express
// (alternatives, open maps, recursion) is json: one field with JSON text.

import { gettext, interpolate } from "../base/i18n.js";

const DEEPEST = 5;
const MOST_FIELDS = 200;
const MOST_OPTIONS = 300;

// The fields of an object schema, or null if there is nothing that a form could show.
export function fieldsOf(schema) {
  const budget = { left: MOST_FIELDS };
  const root = field("", schema, true, schema, 0, budget);
  return root.kind === "object" && budget.left > 0 ? root.fields : null;
}

// The field of one element of an array, or of one property.
export function field(key, written, required, root, depth, budget = { left: MOST_FIELDS }) {
  budget.left -= 1;
  const schema = resolved(written, root);
  const made = {
    key,
    kind: kindOf(schema, depth, budget),
    label: typeof schema.title === "string" && schema.title !== "" ? schema.title : key,
    help: typeof schema.description === "string" ? schema.description : "",
    required,
    schema,
  };
  if ("default" in schema) made.initial = schema.default;
  else if ("const" in schema) made.initial = schema.const;
  if (made.kind === "enum") made.options = optionsOf(schema);
  if (made.kind === "object") made.fields = propertiesOf(schema, root, depth, budget);
  if (made.kind === "array") made.item = (at) => field(at, schema.items, true, root, depth + 1);
  return made;
}

function propertiesOf(schema, root, depth, budget) {
  const needed = new Set(Array.isArray(schema.required) ? schema.required : []);
  const properties = Object.entries(schema.properties ?? {});
  const made = [];
  for (const [key, written] of properties) {
    if (budget.left <= 0) break;
    made.push(field(key, written, needed.has(key), root, depth + 1, budget));
  }
  // What has to be given comes first.
  return [...made.filter((one) => one.required), ...made.filter((one) => !one.required)];
}

// Follows references within the schema; one that leads nowhere, or in a circle, fits anything.
function resolved(written, root) {
  let schema = isObject(written) ? written : {};
  for (let steps = 0; typeof schema.$ref === "string"; steps += 1) {
    const found = steps < 10 ? pointed(root, schema.$ref) : undefined;
    if (!isObject(found)) return {};
    const { $ref, ...beside } = schema;
    schema = { ...found, ...beside };
  }
  return nullable(schema, root);
}

function pointed(root, reference) {
  if (!reference.startsWith("#")) return undefined;
  const parts = reference.slice(1).split("/").filter((part) => part !== "");
  return parts.reduce((at, part) => {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    return isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }, root);
}

// `anyOf` of something and null, as Pydantic writes what may be left out.
function nullable(schema, root) {
  const choices = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(choices)) return schema;
  const real = choices.filter((choice) => choice?.type !== "null");
  if (real.length !== 1 || real.length === choices.length) return schema;
  const { anyOf, oneOf, ...beside } = schema;
  const { default: initial, ...rest } = beside;
  const inner = resolved(real[0], root);
  return initial === null || initial === undefined
    ? { ...inner, ...rest }
    : { ...inner, ...beside };
}

function kindOf(schema, depth, budget) {
  if (Array.isArray(schema.enum) && schema.enum.length <= MOST_OPTIONS) return "enum";
  if (titled(schema)) return "enum";
  if (schema.anyOf || schema.oneOf || schema.allOf || schema.not || schema.if) return "json";
  const types = [schema.type].flat().filter((type) => type !== "null");
  const type = types.length === 1 ? types[0] : undefined;
  if (type === "string") return schema.maxLength > 200 || schema.format === "textarea" ? "text" : "string";
  if (type === "boolean" || type === "number" || type === "integer") return type;
  if (depth > DEEPEST || budget.left <= 0) return "json";
  if (type === "array" && isObject(schema.items)) return "array";
  if ((type === "object" || (type === undefined && schema.properties)) && isClosed(schema, depth)) {
    return "object";
  }
  return "json";
}

// An object whose members are named; a map of anything is written as JSON.
function isClosed(schema, depth) {
  const named = isObject(schema.properties) && Object.keys(schema.properties).length > 0;
  return named || depth === 0;
}

function titled(schema) {
  const choices = schema.oneOf;
  return Array.isArray(choices) && choices.length > 0 && choices.every((one) => isObject(one) && "const" in one);
}

function optionsOf(schema) {
  if (titled(schema)) {
    return schema.oneOf.map((one) => ({ value: one.const, label: String(one.title ?? text(one.const)) }));
  }
  const names = Array.isArray(schema.enumNames) ? schema.enumNames : [];
  return schema.enum.map((value, at) => ({ value, label: String(names[at] ?? text(value)) }));
}

function text(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

// What was typed into one field, as a value; undefined is left out. Throws an Error with a sentence.
export function valueOf(made, typed) {
  const name = made.label || gettext("This field");
  switch (made.kind) {
    case "boolean":
      return typed === "" ? undefined : typed === "true";
    case "enum":
      return typed === "" ? undefined : made.options[Number(typed)].value;
    case "number":
    case "integer":
      return numberOf(made, typed, name);
    case "json":
      return jsonOf(typed, name);
    default:
      return typed === "" && !made.required ? undefined : typed;
  }
}

function numberOf(made, typed, name) {
  const plain = typed.trim();
  if (plain === "") return undefined;
  const value = Number(plain);
  if (!Number.isFinite(value)) throw new Error(interpolate(gettext("%(name)s: write a number."), { name }));
  if (made.kind === "integer" && !Number.isInteger(value)) {
    throw new Error(interpolate(gettext("%(name)s: write a whole number."), { name }));
  }
  return value;
}

function jsonOf(typed, name) {
  if (typed.trim() === "") return undefined;
  try {
    return JSON.parse(typed);
  } catch {
    throw new Error(interpolate(gettext("%(name)s: this is not JSON. Texts need double quotes."), { name }));
  }
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
