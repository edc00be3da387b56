// The menu of a row of the sidebar's list: one menu for all rows, shown beside the button.

import { OnDemand } from "../../base/on_demand.js";
import { chooseProject } from "../projects/projects.js";

const GAP = 4;

export class RowMenu {
  #menu;
  #organiser;
  #button = null;

  // `refresh` fetches the lists anew; `gone` is called with the ids of deleted conversations, `moved`
  // with those that were moved, and the id of their project.
  constructor(document, { refresh, gone, moved }) {
    const menu = document.getElementById("row-menu");
    const { actUrl: act, tagsUrl: tags } = menu.dataset;
    this.#menu = menu;
    const done = async (action, ids, project) => {
      if (action === "move") moved(ids, project);
      await refresh();
      if (action === "delete") gone(ids);
    };
    this.#organiser = new OnDemand(
      () => import("./organiser.js"),
      ({ Organiser }) => new Organiser(document, { act, tags }, done),
    );
    document.addEventListener("click", ({ target }) => {
      const pressed = target.closest("[data-row-menu]");
      if (pressed) this.#open(pressed);
    });
    menu.addEventListener("click", (event) => this.#click(event));
    menu.addEventListener("keydown", (event) => moveWithin(menu, event));
    menu.addEventListener("toggle", (event) => this.#toggled(event));
  }

  // What acts on conversations, on demand.
  get organiser() {
    return this.#organiser;
  }

  #open(pressed) {
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
    const isPinned = row.hasAttribute("data-pinned");
    this.#organiser.use((organiser) => act(organiser, chosen.dataset.act, row.dataset.row, isPinned));
  }

  #toggled(event) {
    const { ownerDocument: document } = this.#menu;
    if (event.newState !== "closed" || this.#button === null) return;
    this.#button.setAttribute("aria-expanded", "false");
    // The event comes later than the closing: the focus may be elsewhere by now, on purpose.
    const { activeElement: focused, body } = document;
    if (this.#button.isConnected && (focused === body || this.#menu.contains(focused))) this.#button.focus();
  }
}

function act(organiser, action, id, isPinned) {
  if (action === "tags") organiser.chooseTags([id]);
  else if (action === "move") chooseProject(organiser, [id]);
  else if (action === "delete") organiser.askToDelete([id]);
  else if (action === "pin") organiser.act(isPinned ? "unpin" : "pin", [id]);
  else organiser.act("archive", [id]);
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
