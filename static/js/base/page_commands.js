// Commands that every page has: the palette itself, what its menus offer, what the page marks with
// `data-command`, and the theme.
//
// A menu item is a command by itself, named by its text. Any other button or link becomes one by
// `data-command="its id"`, named by `data-command-name`, its label or its text.

import { commands } from "./commands.js";
import { isComposing } from "./composing.js";
import { gettext, interpolate } from "./i18n.js";
import { OnDemand } from "./on_demand.js";

export function registerPageCommands(document) {
  const dialog = document.getElementById("palette");
  if (!dialog) return; // signed out
  const palette = new OnDemand(() => import("./palette.js"), ({ Palette }) => new Palette(dialog));
  // Shown at once: what is typed before the palette is there counts.
  const open = () => {
    dialog.querySelector("[data-palette-input]").value = "";
    if (!dialog.open) dialog.showModal();
    palette.use((it) => it.opened());
  };
  dialog.querySelector("[data-palette-input]").addEventListener("keydown", (event) => {
    if (palette.now !== null || isComposing(event) || !["Enter", "ArrowDown", "ArrowUp"].includes(event.key)) return;
    event.preventDefault();
    palette.use((it) => it.press(event));
  });
  commands.register({
    id: "palette",
    name: gettext("Search commands and conversations"),
    keys: "Mod+K",
    run: () => (dialog.open ? dialog.close() : open()),
    isOffered: () => !document.querySelector(":modal:not(#palette)"),
    isHidden: true,
    isInDialogs: true,
  });
  document.addEventListener("click", ({ target }) => {
    if (target.closest?.("[data-palette-open]")) open();
  });
  commands.provide(() => [...document.querySelectorAll("[data-command]")].filter(isUsable).map(markedCommand));
  commands.provide(() => [...document.querySelectorAll("details.menu")].flatMap(menuCommands));
  commands.provide(() => themeCommands(document));
  watchShortcutList(document);
}

// Made each time that it opens: a module may have registered more.
function watchShortcutList(document) {
  const place = document.querySelector("[data-shortcuts]");
  const list = new OnDemand(() => import("./shortcut_list.js"));
  place?.closest("[popover]").addEventListener("beforetoggle", ({ newState }) => {
    if (newState === "open") list.use(({ showShortcuts }) => showShortcuts(place));
  });
}

function markedCommand(element) {
  const { command, commandName, commandSection } = element.dataset;
  return {
    id: command,
    name: commandName || nameOf(element),
    section: commandSection || gettext("This page"),
    icon: iconOf(element),
    run: () => element.click(),
  };
}

function menuCommands(menu) {
  if (!isUsable(menu)) return [];
  const section = nameOf(menu.querySelector("summary"));
  return [...menu.querySelectorAll(".menu-item:not([data-command])")].filter(isUsable).map((item) => {
    const name = nameOf(item);
    const run = () => item.click();
    return { id: `menu:${name}`, name, section: sectionOf(item, section), icon: iconOf(item), run };
  });
}

// Links of the account's menu go to the pages of this program.
function sectionOf(item, section) {
  return item.closest(".account-menu") ? gettext("Go to") : section;
}

function themeCommands(document) {
  const options = document.querySelector("[data-theme-switch]")?.querySelectorAll("label") ?? [];
  return [...options].map((option) => ({
    id: `theme:${option.querySelector("input").value}`,
    name: interpolate(gettext("Theme: %(name)s"), { name: nameOf(option) }),
    section: gettext("Appearance"),
    icon: iconOf(option),
    run: () => option.click(),
  }));
}

// Whether it can be pressed as soon as the menu around it is open.
function isUsable(element) {
  return !element.disabled && !element.closest("[hidden], template");
}

function nameOf(element) {
  return (element.getAttribute("aria-label") ?? element.textContent).replace(/\s+/g, " ").trim();
}

function iconOf(element) {
  const name = element.querySelector("svg")?.getAttribute("class")?.match(/icon-([\w-]+)/);
  return name?.[1];
}
