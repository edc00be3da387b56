// Keys for what can be done with the shown round: each presses the button that names it.

export function watchActs(document) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest("input, textarea, select, dialog, [contenteditable]")) return;
    const button = document.querySelector(`[data-act="${CSS.escape(event.key)}"]`);
    if (!button) return;
    event.preventDefault();
    button.click();
  });
}
