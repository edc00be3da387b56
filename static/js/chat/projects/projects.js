// Projects on the chat page: what is there from the start. The rest is loaded when it is used.

import { OnDemand } from "../../base/on_demand.js";

const YEAR_S = 31_536_000;
const folds = new OnDemand(() => import("./folds.js"));
const moving = new OnDemand(() => import("./moving.js"));
const dragging = new OnDemand(() => import("./dragging.js"));

// `organiser` acts on conversations, on demand; `current` answers the id of the open one.
export function watchProjects(document, { organiser, current }) {
  const section = document.getElementById("projects");
  section.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-project-fold]");
    if (button) folds.use((it) => it.toggle(button));
  });
  section.addEventListener("keydown", (event) => {
    const button = event.target.closest("[data-project-row]")?.querySelector("[data-project-fold]");
    const isOpen = button?.getAttribute("aria-expanded") === "true";
    if (!event.target.matches(".project-link") || event.key !== (isOpen ? "ArrowLeft" : "ArrowRight")) return;
    event.preventDefault();
    folds.use((it) => it.toggle(button));
  });
  // A cookie, so that the next page is drawn as it is to be.
  section.addEventListener("toggle", () => {
    document.cookie = `projects=${section.open ? "open" : "folded"}; path=/; max-age=${YEAR_S}; SameSite=Lax`;
  });
  document.addEventListener("click", ({ target }) => {
    if (!target.closest("[data-move-open]") || !current()) return;
    for (const menu of document.querySelectorAll("details[data-menu][open]")) menu.open = false;
    organiser.use((one) => chooseProject(one, [current()]));
  });
  document.addEventListener("dragstart", ({ target }) => {
    const row = target.closest?.("[data-row]");
    const move = (id, project) => organiser.use((one) => one.act("move", [id], project));
    if (row) dragging.use((it) => it.drag(row, move));
  });
}

// Asks which project these conversations are moved to.
export function chooseProject(organiser, ids) {
  return moving.use((it) => it.chooseProject(organiser, ids));
}

// The project that a new conversation is to begin in; null for none.
export function chosenProject(document) {
  const select = document.getElementById("project");
  return select && !select.disabled ? select.value || null : null;
}

// Unfolds a project in the sidebar.
export async function openProject(document, project) {
  await folds.use((it) => it.open(document, project));
}

// The lists of projects that are unfolded, anew.
export async function refreshProjects(document) {
  if (!document.querySelector('[data-project-fold][aria-expanded="true"]')) return;
  await folds.use((it) => it.refresh(document));
}

// The open conversation was moved: its project is named in front of its title.
export function showProject(document, id) {
  const link = document.getElementById("head-project");
  const source = id && nameOf(document, id);
  link.hidden = !source;
  if (!source) return;
  link.href = link.dataset.url.replace(/[0-9a-f-]{36}/, id);
  link.querySelector("[data-head-project-name]").textContent = source.name;
  link.querySelector(".project-mark").dataset.colour = source.colour;
}

// From the choice, or the sidebar.
function nameOf(document, id) {
  const option = document.querySelector(`#project option[value="${id}"]`);
  if (option) return { name: option.textContent, colour: option.dataset.colour };
  const place = document.querySelector(`[data-move-to="${id}"]`) ?? document.querySelector(`[data-project-row="${id}"]`);
  const mark = place?.querySelector(".project-mark");
  return mark && { name: place.querySelector("bdi").textContent, colour: mark.dataset.colour };
}
