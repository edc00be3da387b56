// What every page does: menus, copy buttons, the theme switch, banners, relative times,
// rendered Markdown.

import { watchCopyButtons } from "./copy.js";
import { watchConnection, watchDismissals } from "./banners.js";
import { watchMenus } from "./menus.js";
import { watchThemeSwitches } from "./theme_switch.js";
import { watchTimes } from "./times.js";
import "./prose/prose.js";

watchMenus(document);
watchCopyButtons(document);
watchDismissals(document);
watchConnection(document);
watchThemeSwitches(document);
watchTimes(document);
