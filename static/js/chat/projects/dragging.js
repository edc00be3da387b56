// A conversation of the sidebar is dragged onto a project, or back to the list. The menu of its row
// does the same by keyboard.

const TARGETS = "[data-project-row], #conversations";

// `move` is called with the ids of the conversation and of the project, "" for none.
export function drag(row, move) {
  const document = row.ownerDocument;
  const id = row.dataset.row;
  const isInProject = row.closest("[data-project-conversations]") !== null;
  const from = row.closest("[data-project-row]");
  const listening = new AbortController();
  const { signal } = listening;
  let shown = null;

  function show(target) {
    if (shown !== target) {
      shown?.removeAttribute("data-drop-target");
      target?.setAttribute("data-drop-target", "");
    }
    shown = target;
  }

  function targetOf(event) {
    const target = event.target.closest?.(TARGETS) ?? null;
    const isList = target?.id === "conversations";
    return target === from || (isList && !isInProject) ? null : target;
  }

  const options = { signal };
  document.addEventListener(
    "dragover",
    (event) => {
      const target = targetOf(event);
      show(target);
      if (!target) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "move";
    },
    options,
  );
  document.addEventListener(
    "drop",
    (event) => {
      const target = targetOf(event);
      if (!target) return;
      event.preventDefault();
      move(id, target.dataset.projectRow ?? "");
    },
    options,
  );
  document.addEventListener(
    "dragend",
    () => {
      show(null);
      listening.abort();
    },
    options,
  );
}
