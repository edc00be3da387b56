// From a reference to its footnote in the same answer, and back.

import { toast } from "../toast.js";
import { gettext } from "../i18n.js";

export function watchFootnotes(document) {
  let from = null;
  document.addEventListener("click", ({ target }) => {
    const reference = target.closest?.(".footnote-ref");
    if (!reference) return;
    const label = CSS.escape(reference.dataset.footnote);
    const note = reference.closest(".prose")?.querySelector(`[data-note="${label}"]`);
    if (!note) return toast(document, gettext("This footnote is not in the answer."));
    from = reference;
    note.focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !from || !event.target.matches?.("[data-note]")) return;
    event.stopPropagation();
    from.focus();
    from = null;
  }, true);
}
