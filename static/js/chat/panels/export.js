// The entries of a conversation's menu that share and export it: their addresses name the
// conversation that the page shows now, which may have just begun.

import { gettext } from "../../base/i18n.js";

const ID = "00000000-0000-0000-0000-000000000000";

export function watchExport({ document, page, gaps, announce }) {
  const conversation = () => page.dataset.conversation;
  const share = document.querySelector("[data-share-url]");
  share?.addEventListener("click", () => {
    share.href = share.dataset.shareUrl.replace(ID, conversation());
  });
  const fold = document.querySelector("[data-export-url]");
  if (!fold) return;
  fold.addEventListener("toggle", () => {
    const url = fold.dataset.exportUrl.replace(ID, conversation());
    for (const link of fold.querySelectorAll("[data-export]")) link.href = `${url}?${link.dataset.export}`;
  });
  fold.querySelector("[data-print]").addEventListener("click", () => {
    fold.closest("[data-menu]")?.removeAttribute("open");
    printAll(document, gaps, announce);
  });
}

// With the messages that are not on the page yet. If some cannot be fetched, which `fill` says,
// nothing is printed.
async function printAll(document, gaps, announce) {
  if (gaps.all.length > 0) announce(gettext("Loading …"));
  while (gaps.all.length > 0) {
    if ((await gaps.fill(gaps.all[0])) !== "filled") return;
  }
  document.defaultView.print();
}
