// The dialog that asks which project conversations are moved to.

import { gettext } from "../../base/i18n.js";

export async function chooseProject(organiser, ids) {
  const dialog = document.getElementById("move-dialog");
  const problem = dialog.querySelector("[data-move-problem]");
  const choices = dialog.querySelector("[data-move-choices]");
  problem.hidden = true;
  choices.replaceChildren();
  choices.onclick = ({ target }) => {
    const chosen = target.closest("[data-move-to]");
    if (!chosen) return;
    dialog.close();
    organiser.act("move", ids, chosen.dataset.moveTo);
  };
  dialog.onkeydown = (event) => step(dialog, event);
  dialog.showModal();
  try {
    const answer = await fetch(dialog.dataset.choiceUrl, { headers: { "X-Requested-With": "fetch" } });
    if (!answer.ok || answer.redirected) throw new TypeError("no projects");
    choices.innerHTML = await answer.text();
    choices.querySelector("button, a")?.focus();
  } catch {
    problem.textContent = gettext("The projects could not be loaded. Try again in a moment.");
    problem.hidden = false;
  }
}

// The arrow keys go through the projects.
function step(dialog, event) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const buttons = [...dialog.querySelectorAll("[data-move-to]")];
  if (!by || buttons.length === 0) return;
  event.preventDefault();
  const at = buttons.indexOf(dialog.ownerDocument.activeElement);
  buttons.at((at + by) % buttons.length).focus();
}
