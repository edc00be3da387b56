// Events of the session for the rest of the page: a conversation begins, an answer ends, the
// connection is cut.

import { gettext } from "../../base/i18n.js";
import { showBanner } from "../../base/banners.js";
import { OnDemand } from "../../base/on_demand.js";
import { toast } from "../../base/toast.js";
import { runningTurns } from "../connection/state.js";
import { setCut } from "../connection/connection.js";
import { endOf, spokenEnd } from "./spoken.js";

const RECONNECTING_SHOWN_MS = 2_000;

export function watchSession(parts, drawing) {
  const { document, session, sidebar, assistants, asking, branches, notifications, announce } = parts;
  const together = new OnDemand(() => import("../together/together.js"), ({ Together }) => new Together(parts));
  const handlers = {
    ...connectionEvents(parts),
    change: () => drawing.schedule(),
    accepted: () => sidebar.refresh(),
    began: ({ conversation }) => begin(parts, conversation),
    ended: ({ turn, state }) => {
      // Of several answers side by side the last one tells.
      if (runningTurns(session.state).some(({ comparison }) => comparison)) return;
      announce(spokenEnd(document, turn, state));
      notifications.tell(endOf(state), `${turn} ${state}`);
    },
    rejected: ({ error }) => {
      if (session.state.conversation === null) {
        assistants.forget();
        parts.projects?.forget();
      }
      announce(error);
    },
    refused: (refusal) => asking.use((it) => it.refused(refusal)),
    branch: (branch) => branches.shown(branch),
    "not-asked": (refusal) => branches.refused(refusal),
    feedback: (rated) => parts.feedback.use((it) => it.follow(rated)),
    "sent-elsewhere": () => toast(document, gettext("A message that was waiting has been sent.")),
    deleted: deletionHandler(parts),
    unshared: () => unshared(parts),
    // Whatever happened to it: it is not shared any more with who is a guest of it.
    missing: () => handlers["member" in parts.page.dataset ? "unshared" : "deleted"](),
    presence: (frame) => together.use((it) => it.show(frame)),
    "signed-out": () => showBanner(document, "signed-out", true),
    notice: (notice) => showNotice(document, notice),
  };
  for (const [type, handle] of Object.entries(handlers)) {
    session.addEventListener(type, (event) => handle(event.detail));
  }
}

function connectionEvents({ document, asking, files, attachments, drafts }) {
  let reconnecting = null;
  const connected = () => {
    asking.now?.again();
    files.again();
    attachments.retry();
    drafts.refresh();
    setCut(false);
    clearTimeout(reconnecting);
    reconnecting = null;
    showBanner(document, "reconnecting", false);
    showBanner(document, "signed-out", false);
    showBanner(document, "too-many", false);
  };
  const disconnected = ({ tooMany }) => {
    setCut(true);
    showBanner(document, "too-many", tooMany);
    if (tooMany) return;
    reconnecting ??= setTimeout(
      () => showBanner(document, "reconnecting", navigator.onLine),
      RECONNECTING_SHOWN_MS,
    );
  };
  return { connected, disconnected };
}

// A conversation has its first message: the page gets its address and its name.
async function begin(parts, id) {
  const { server, page, head, context, assistants, tools, skills, files } = parts;
  parts.temporary.begin(id);
  history.replaceState(null, "", server.url("conversation", id));
  parts.notifications.look();
  page.dataset.conversation = id;
  head.begin(id);
  context.begin(id);
  head.showAssistant(assistants.name);
  tools?.begin(id);
  skills.now?.begin(id);
  files.begin(id);
  const { composer, attachments, drafts, sidebar, draftKey } = parts;
  composer.moveDraft(draftKey(id));
  attachments.moveDraft(draftKey(id));
  drafts.move(draftKey(id), id);
  sidebar.current = id;
  await Promise.all([sidebar.refresh(), parts.projects?.begin()]);
  const name = sidebar.titleOf(id);
  if (parts.temporary.isTemporary) head.show(gettext("Temporary conversation"));
  else if (name) head.show(name);
}

function deletionHandler({ document, page, head, composer, sidebar }) {
  // The tab that deletes it leaves the page anyway.
  let isDeleting = false;
  document.getElementById("delete").addEventListener("submit", () => {
    isDeleting = true;
  });
  return () => {
    if (isDeleting) return;
    page.dataset.deleted = "";
    head.end();
    composer.lock();
    showBanner(document, "deleted", true);
    sidebar.refresh();
  };
}

function unshared({ document, page, head, composer, sidebar }) {
  page.dataset.deleted = "";
  head.end();
  composer.lock();
  showBanner(document, "unshared", true);
  sidebar.refresh();
}

function showNotice(document, { code, text }) {
  const banner = document.querySelector('[data-banner="server"]');
  banner.querySelector("[data-banner-text]").textContent = text;
  banner.hidden = code !== "redis_down";
}
