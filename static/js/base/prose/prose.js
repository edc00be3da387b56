// What rendered Markdown can do. The server's HTML has no words of the interface in it: these
// elements fill themselves wherever they come to stand. `morph` leaves their content alone. The module
// of each is loaded when the first one comes (`parseHTML`).

import { OnDemand, Unavailable } from "../on_demand.js";

const MODULES = new Map([
  ["callout-name", new OnDemand(() => import("./callout_name.js"))],
  ["code-tools", new OnDemand(() => import("./code_tools.js"))],
  ["show-all", new OnDemand(() => import("./show_all.js"))],
  ["table-tools", new OnDemand(() => import("./table_tools.js"))],
  ["remote-image", new OnDemand(() => import("./remote_image.js"))],
  ["math", new OnDemand(() => import("./copied_text.js"), ({ watchCopying }) => watchCopying(document))],
  [".footnote-ref", new OnDemand(() => import("./footnotes.js"), ({ watchFootnotes }) => watchFootnotes(document))],
]);

// Loads what the elements below `root` need. Without a connection they stay as they are until others
// come.
export function loadProse(root) {
  for (const [selector, module] of MODULES) {
    if (!root.querySelector(selector)) continue;
    module.load().then(() => MODULES.delete(selector), ignoreFailure);
  }
}

function ignoreFailure(error) {
  if (!(error instanceof Unavailable)) throw error;
}
