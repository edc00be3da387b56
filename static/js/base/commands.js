// The actions of a page by name: for the command palette, the keyboard and the list of shortcuts.
// No DOM.
//
//   commands.register({ id: "files", name: gettext("Files"), section, keys: "Mod+E", run });
//   commands.provide(() => [ … ]); // commands that depend on what the page shows now
//
// A command is { id, name, section, words, icon, keys, shown, run, isOffered }. `name` is the text
// for people, `words` is further text to find it by. `keys` is one key, or several with "+"; "Mod" is
// Ctrl, or ⌘ on a Mac. A key without "Mod" counts outside of fields only, but for Escape. `shown`
// replaces `keys` in the list of shortcuts. `run(isByKey)` does it; without it this is a key of some
// other part of the page, which is listed only. With `isHidden` it is not in the palette. While a
// dialog is open only keys with `isInDialogs` count.

import { isComposing } from "./composing.js";

const FIELDS = "input, textarea, select, [contenteditable]";

export class Commands {
  #commands = new Map();
  #providers = [];

  register(...added) {
    for (const command of added) this.#commands.set(command.id, command);
  }

  provide(provider) {
    this.#providers.push(provider);
  }

  // What can be done now, in the order of registration.
  offered() {
    const all = [...this.#commands.values(), ...this.#providers.flatMap((provide) => provide())];
    return all.filter(({ run, isHidden, isOffered }) => run && !isHidden && (isOffered?.() ?? true));
  }

  // What has keys, whether it can be done now or not.
  withKeys() {
    return [...this.#commands.values()].filter(({ keys, shown }) => keys ?? shown);
  }

  // The command that a key press means, or null.
  of(event, isInField) {
    if (isComposing(event) || event.altKey) return null;
    const meant = [...this.#commands.values()].find(
      ({ keys, run, isOffered }) =>
        keys && run && isPressed(keys, event, isInField) && (isOffered?.() ?? true),
    );
    return meant ?? null;
  }
}

export const commands = new Commands();

// Runs commands by their keys.
export function watchKeys(document, registry = commands) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented) return;
    const command = registry.of(event, event.target.closest?.(FIELDS) !== null);
    if (command === null || (!command.isInDialogs && document.querySelector(":modal"))) return;
    event.preventDefault();
    command.run(true);
  });
}

function isPressed(keys, event, isInField) {
  const parts = keys.toLowerCase().split("+");
  const key = parts.pop();
  if (event.key.toLowerCase() !== key) return false;
  const isModified = event.ctrlKey || event.metaKey || false;
  if (parts.includes("mod")) return isModified && Boolean(event.shiftKey) === parts.includes("shift");
  return !isModified && (!isInField || key === "escape");
}

// The keys as they stand on a keyboard, such as ["Ctrl", "Shift", "O"].
export function keyCaps({ keys, shown }, isMac) {
  if (shown) return shown;
  return keys.split("+").map((key) => {
    if (key === "Mod") return isMac ? "⌘" : "Ctrl";
    return key === "Escape" ? "Esc" : key;
  });
}
