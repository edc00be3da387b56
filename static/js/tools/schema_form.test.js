import assert from "node:assert/strict";
import { test } from "node:test";

import { fieldsOf, valueOf } from "./schema_form.js";

const object = (properties, more = {}) => ({ type: "object", properties, ...more });
const only = (schema) => fieldsOf(object({ it: schema }))[0];

test("what is required comes first", () => {
  const fields = fieldsOf(object({ a: { type: "string" }, b: { type: "integer" } }, { required: ["b"] }));
  assert.deepEqual(fields.map(({ key, required }) => [key, required]), [["b", true], ["a", false]]);
});

test("each type has its kind", () => {
  assert.equal(only({ type: "string" }).kind, "string");
  assert.equal(only({ type: "number" }).kind, "number");
  assert.equal(only({ type: ["integer", "null"] }).kind, "integer");
  assert.equal(only({ type: "boolean" }).kind, "boolean");
  assert.equal(only({ enum: ["a", 1, null] }).kind, "enum");
  assert.equal(only({ type: "array", items: { type: "string" } }).kind, "array");
  assert.equal(only(object({ inner: {} })).kind, "object");
});

test("what a form cannot express is JSON", () => {
  assert.equal(only({}).kind, "json");
  assert.equal(only({ anyOf: [{ type: "string" }, { type: "number" }] }).kind, "json");
  assert.equal(only({ type: "object", additionalProperties: { type: "string" } }).kind, "json");
});

test("something or nothing is that something", () => {
  const made = only({ anyOf: [{ type: "integer" }, { type: "null" }], default: null });
  assert.equal(made.kind, "integer");
  assert.equal(made.initial, undefined);
});

test("references are followed, and circles end", () => {
  const schema = object(
    { it: { $ref: "#/$defs/node" } },
    { $defs: { node: object({ next: { $ref: "#/$defs/node" }, name: { type: "string" } }) } },
  );
  assert.equal(fieldsOf(schema)[0].kind, "object");
  assert.deepEqual(only({ $ref: "#/$defs/gone" }).kind, "json");
  assert.deepEqual(only({ $ref: "#/properties/it" }).kind, "json");
});

test("choices with titles show them and give their values", () => {
  const made = only({ type: "string", oneOf: [{ const: "r", title: "Red" }, { const: "g" }] });
  assert.deepEqual(made.options.map(({ label }) => label), ["Red", "g"]);
  assert.equal(valueOf(made, "0"), "r");
  assert.equal(valueOf(made, ""), undefined);
});

test("values have their types, and what is empty is left out", () => {
  assert.equal(valueOf({ kind: "integer", label: "n" }, " 3 "), 3);
  assert.equal(valueOf({ kind: "boolean" }, "false"), false);
  assert.equal(valueOf({ kind: "string", required: false }, ""), undefined);
  assert.equal(valueOf({ kind: "string", required: true }, ""), "");
  assert.deepEqual(valueOf({ kind: "json" }, '{"a": 1}'), { a: 1 });
});

test("what does not fit is told with the field's name", () => {
  assert.throws(() => valueOf({ kind: "integer", label: "Age" }, "1.5"), /Age: write a whole number/);
  assert.throws(() => valueOf({ kind: "number", label: "Age" }, "x"), /Age: write a number/);
  assert.throws(() => valueOf({ kind: "json", label: "Map" }, "{"), /Map: this is not JSON/);
});

test("a schema that is no object has no form", () => {
  assert.equal(fieldsOf({ type: "string" }), null);
  assert.deepEqual(fieldsOf({ type: "object" }), []);
});
