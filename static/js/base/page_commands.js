// Commands that every page has: the palette itself, what its menus offer, what the page marks with
// `data-command`, and the theme.
//
// A menu item is a command by itself, named by its text. Any other button or link becomes one by
// `data-command="its id"`, named by `data-command-name`, its label or its text.

import { commands } from "./commands.js";
import { gettext, interpolate } from "./i18n.js";
import { Palette } from "./palette.js";
import { showShortcuts } from "./shortcut_list.js";

export function registerPageCommands(document) {
  const dialog = document.getElementById("palette");
  if (!dialog) return; // signed out
  const palette = new Palette(dialog);
  commands.register({
    id: "palette",
    name: gettext("Search commands and conversations"),
    keys: "Mod+K",
    run: () => palette.toggle(),
    isOffered: () => !document.querySelector(":modal:not(#palette)"),
    isHidden: true,
    isInDialogs: true,
  });
  document.addEventListener("click", ({ target }) => {
    if (target.closest?.("[data-palette-open]")) palette.open();
  });
  commands.provide(() => [...document.querySelectorAll("[data-command]")].filter(isUsable).map(markedCommand));
  commands.provide(() => [...document.querySelectorAll("details.menu")].flatMap(menuCommands));
  commands.provide(() => themeCommands(document));
  showShortcuts(document);
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
