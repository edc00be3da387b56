// The menu of a row of the sidebar's list: one menu for all rows, shown beside the button.

import { Organiser } from "./organiser.js";

const GAP = 4;

export class RowMenu {
  #menu;
  #organiser;
  #button = null;

  // `refresh` fetches the list anew; `gone` is called with the ids of deleted conversations.
  constructor(document, { refresh, gone }) {
    const menu = document.getElementById("row-menu");
    const { actUrl: act, tagsUrl: tags } = menu.dataset;
    this.#menu = menu;
    this.#organiser = new Organiser(document, { act, tags }, async (action, ids) => {
      await refresh();
      if (action === "delete") gone(ids);
    });
    menu.addEventListener("click", (event) => this.#click(event));
    menu.addEventListener("keydown", (event) => moveWithin(menu, event));
    menu.addEventListener("toggle", (event) => this.#toggled(event));
  }

  open(pressed) {
    const menu = this.#menu;
    this.#button = pressed;
    const isPinned = this.#row.hasAttribute("data-pinned");
    menu.querySelector("[data-if-pinned]").hidden = !isPinned;
    menu.querySelector("[data-if-not-pinned]").hidden = isPinned;
    menu.showPopover();
    place(menu, pressed);
    pressed.setAttribute("aria-expanded", "true");
    menu.querySelector("button").focus();
  }

  get #row() {
    return this.#button.closest("[data-row]");
  }

  #click(event) {
    const chosen = event.target.closest("[data-act]");
    if (!chosen) return;
    const row = this.#row;
    this.#menu.hidePopover();
    this.#act(chosen.dataset.act, row.dataset.row, row.hasAttribute("data-pinned"));
  }

  #act(action, id, isPinned) {
    if (action === "tags") this.#organiser.chooseTags([id]);
    else if (action === "delete") this.#organiser.askToDelete([id]);
    else if (action === "pin") this.#organiser.act(isPinned ? "unpin" : "pin", [id]);
    else this.#organiser.act("archive", [id]);
  }

  #toggled(event) {
    const { ownerDocument: document } = this.#menu;
    if (event.newState !== "closed" || this.#button === null) return;
    this.#button.setAttribute("aria-expanded", "false");
    if (this.#button.isConnected && !document.querySelector(":modal")) this.#button.focus();
  }
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
