import assert from "node:assert/strict";
import { test } from "node:test";

import { Commands } from "./commands.js";
import { isComposing } from "./composing.js";
import { OptionList } from "./option_list.js";

// The Enter that ends a composition, as Safari reports it.
const ended = { key: "Enter", isComposing: false, keyCode: 229 };

test("keys that an input method has taken are composing, also the last one of Safari", () => {
  assert.equal(isComposing({ key: "Enter", keyCode: 13 }), false);
  assert.equal(isComposing({ key: "Enter", keyCode: 13, isComposing: true }), true);
  assert.equal(isComposing(ended), true);
});

test("the Enter that chooses a candidate chooses no option of a list", () => {
  const list = { addEventListener() {} };
  const options = new OptionList(list, null, null);
  Object.defineProperty(options, "count", { value: 1 });
  assert.equal(options.press(ended), false);
});

test("the Escape that leaves a candidate runs no command", () => {
  const registry = new Commands();
  registry.register({ id: "stop", keys: "Escape", run() {} });
  assert.equal(registry.of({ key: "Escape", keyCode: 229 }, true), null);
  assert.equal(registry.of({ key: "Escape", keyCode: 27 }, true).id, "stop");
});
