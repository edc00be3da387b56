// The menu of a row of the sidebar's list: one menu for all rows, shown beside the button.

import { Organiser } from "./organiser.js";

const GAP = 4;

// `refresh` fetches the list anew; `gone` is called with the ids of deleted conversations.
export function watchRowMenus(document, { refresh, gone }) {
  const menu = document.getElementById("row-menu");
  const { actUrl: act, tagsUrl: tags } = menu.dataset;
  const organiser = new Organiser(document, { act, tags }, async (action, ids) => {
    await refresh();
    if (action === "delete") gone(ids);
  });
  let button = null;

  function open(pressed) {
    button = pressed;
    const isPinned = row().hasAttribute("data-pinned");
    menu.querySelector("[data-if-pinned]").hidden = !isPinned;
    menu.querySelector("[data-if-not-pinned]").hidden = isPinned;
    menu.showPopover();
    place(menu, button);
    button.setAttribute("aria-expanded", "true");
    menu.querySelector("button").focus();
  }

  function row() {
    return button.closest("[data-row]");
  }

  const actions = {
    pin: (id) => organiser.act(row().hasAttribute("data-pinned") ? "unpin" : "pin", [id]),
    tags: (id) => organiser.chooseTags([id]),
    archive: (id) => organiser.act("archive", [id]),
    delete: (id) => organiser.askToDelete([id]),
  };

  document.addEventListener("click", (event) => {
    const pressed = event.target.closest("[data-row-menu]");
    if (pressed) open(pressed);
  });
  menu.addEventListener("click", (event) => {
    const chosen = event.target.closest("[data-act]");
    if (!chosen) return;
    const id = row().dataset.row;
    const action = actions[chosen.dataset.act];
    menu.hidePopover();
    action(id);
  });
  menu.addEventListener("keydown", (event) => moveWithin(menu, event));
  menu.addEventListener("toggle", (event) => {
    if (event.newState !== "closed" || button === null) return;
    button.setAttribute("aria-expanded", "false");
    if (button.isConnected && !document.querySelector(":modal")) button.focus();
  });
}

function moveWithin(menu, event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const items = [...menu.querySelectorAll("button")];
  const at = items.indexOf(menu.ownerDocument.activeElement);
  items.at((at + step) % items.length).focus();
}

// Below the button, or above it where there is no room.
function place(menu, button) {
  const { bottom, top, right } = button.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const isBelow = bottom + GAP + height < window.innerHeight;
  menu.style.insetBlockStart = `${isBelow ? bottom + GAP : Math.max(GAP, top - GAP - height)}px`;
  menu.style.left = `${Math.max(GAP, Math.min(right - width, window.innerWidth - width - GAP))}px`;
}
