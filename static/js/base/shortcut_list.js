// The list of shortcuts: what the registered commands have keys for.

import { commands, keyCaps } from "./commands.js";

const IS_MAC = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");

// Made each time that it opens: a module may have registered more.
export function showShortcuts(document) {
  const list = document.querySelector("[data-shortcuts]");
  list?.closest("[popover]").addEventListener("beforetoggle", ({ newState }) => {
    if (newState !== "open") return;
    list.replaceChildren(...commands.withKeys().map((command) => row(document, command)));
  });
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
