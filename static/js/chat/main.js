// The chat page: makes its parts, wires them together, and begins.

import { gettext } from "../base/i18n.js";
import { OnDemand } from "../base/on_demand.js";
import { toast } from "../base/toast.js";
import { registerChatCommands } from "./page/chat_commands.js";
import { watchClicks } from "./page/clicks.js";
import { Comparing } from "./comparison/loading.js";
import { Drawing } from "./page/drawing.js";
import { watchFirstUses } from "./page/on_demand_parts.js";
import { watchParts } from "./page/part_events.js";
import { makeParts } from "./page/parts.js";
import { Sending } from "./page/sending.js";
import { watchFigures } from "./panels/figures.js";
import { watchSession } from "./page/session_events.js";
import { refreshProjects, showProject, watchProjects } from "./projects/projects.js";
import { watchFoot } from "./queue/watching.js";
import { watchExport } from "./panels/export.js";
import { RowMenu } from "./search/row_menu.js";
import { turnOf } from "./thread/place_names.js";
import { watchViewport } from "./thread/viewport.js";

const parts = makeParts(document, () => drawing.schedule());
parts.comparing = new Comparing(parts);
const drawing = new Drawing(parts);
parts.showAssistant = (name) => drawing.showAssistant(name);
const sending = new Sending(parts);
watchSession(parts, drawing);
watchParts(parts);
watchFirstUses(parts);
watchClicks(parts, sending);
watchFoot(parts);
watchExport(parts);
tellTimezone();
watchViewport(document);
watchFigures(document, parts.server, parts.page);
registerChatCommands(parts);
const rowMenu = new RowMenu(document, {
  refresh: () => Promise.all([parts.sidebar.refresh(), refreshProjects(document)]),
  moved: (ids, project) => {
    if (ids.includes(parts.page.dataset.conversation)) showProject(document, project);
  },
  gone: (ids) => {
    if (ids.includes(parts.page.dataset.conversation)) location.assign(parts.page.dataset.homeUrl);
  },
});
watchProjects(document, { organiser: rowMenu.organiser, current: () => parts.page.dataset.conversation });
if (document.getElementById("project-picker")) beginProjectPicker();
restoreDraft();
goToFirstPlace();
drawing.schedule();
parts.socket.connect();
beginWithFirstSteps();

function beginWithFirstSteps() {
  const place = document.getElementById("first-steps");
  if (!place) return;
  const steps = new OnDemand(() => import("./page/first_steps.js"));
  steps.use(({ showFirstSteps }) => showFirstSteps(document, place));
}

function tellTimezone() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!zone || document.cookie.includes(`timezone=${zone}`)) return;
  document.cookie = `timezone=${zone}; path=/; max-age=31536000; SameSite=Lax`;
  parts.sidebar.refresh();
}

function beginProjectPicker() {
  const picker = new OnDemand(() => import("./projects/picker.js"));
  picker.use(({ ProjectPicker }) => {
    parts.projects = new ProjectPicker(document, parts.assistants);
  });
}

// The draft that the server gives, of a fork, counts until the person has written one.
function restoreDraft() {
  const { local, conversation, draftKey, composer, attachments, drafts } = parts;
  const { draftAttachments } = document.getElementById("message").dataset;
  const isUntouched = local.getItem(draftKey(conversation)) === null;
  const isTyped = composer.useDraft(draftKey(conversation));
  attachments.useDraft(draftKey(conversation));
  if (draftAttachments && isUntouched) attachments.restore(JSON.parse(draftAttachments));
  drafts.use(draftKey(conversation), conversation, isTyped);
}

// The message that the address names, or the end of the conversation.
function goToFirstPlace() {
  const { follower, gaps, place, hasKeyboard, composer } = parts;
  const missing = () => {
    const elsewhere = document.querySelector("[data-elsewhere] button");
    if (elsewhere) elsewhere.focus();
    else toast(document, gettext("This message is no longer in the conversation."));
  };
  if (turnOf(location.hash) !== null || location.hash.startsWith("#call-")) {
    follower.leave();
    place.use((it) => it.goToPlace(document, gaps, missing));
    return;
  }
  follower.jump();
  gaps.watch();
  if (hasKeyboard) composer.focus();
}
