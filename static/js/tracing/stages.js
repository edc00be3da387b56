// What stages and payloads can do on any page that shows them: read by parts, wrap, trees, folds.

import "./reader/folds.js";
import "./json_tree.js";
import "./reader/reader.js";
import { watchWrap } from "./reader/wrap.js";

watchWrap(document);

// A payload's menu has done its work when something was chosen in it.
document.addEventListener("click", ({ target }) => {
  const menu = target.closest?.(".payload-menu .menu-item")?.closest("details");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});
