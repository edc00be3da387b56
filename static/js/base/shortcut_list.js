// The list of shortcuts: what the registered commands have keys for.

import { commands, keyCaps } from "./commands.js";

const IS_MAC = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");

export function showShortcuts(list) {
  list.replaceChildren(...commands.withKeys().map((command) => row(list.ownerDocument, command)));
}

function row(document, command) {
  const line = document.createElement("div");
  const name = document.createElement("dt");
  const keys = document.createElement("dd");
  name.textContent = command.name;
  for (const text of keyCaps(command, IS_MAC)) {
    const cap = document.createElement("kbd");
    cap.textContent = text;
    keys.append(cap, " ");
  }
  line.append(name, keys);
  return line;
}
