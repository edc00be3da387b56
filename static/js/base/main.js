// What every page does: menus, copy buttons, the theme switch, banners, relative times, commands,
// rendered Markdown.

import { watchCopyButtons } from "./copy.js";
import { watchConnection, watchDismissals } from "./banners.js";
import { watchKeys } from "./commands.js";
import { watchMenus } from "./menus.js";
import { prefetchAfterFirstUse } from "./on_demand.js";
import { registerPageCommands } from "./page_commands.js";
import { watchThemeSwitches } from "./theme_switch.js";
import { watchTimes } from "./times.js";
import { loadProse } from "./prose/prose.js";

watchMenus(document);
watchKeys(document);
registerPageCommands(document);
watchCopyButtons(document);
watchDismissals(document);
watchConnection(document);
watchThemeSwitches(document);
watchTimes(document);
loadProse(document);
prefetchAfterFirstUse(document);
keepOfflinePage();

// After all else: nothing on this page needs it.
function keepOfflinePage() {
  const register = () => navigator.serviceWorker.register(document.body.dataset.worker).catch(() => {});
  if ("serviceWorker" in navigator) addEventListener("load", register);
}
