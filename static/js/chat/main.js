// The chat page: makes its parts and wires them together.

import { showBanner } from "../base/banners.js";
import { randomKey } from "../base/keys.js";
import { safeStorage } from "../base/storage.js";
import { toast } from "../base/toast.js";
import { Attachments } from "./attachments/attachments.js";
import { watchFiles } from "./attachments/incoming.js";
import { attachmentsIn, watchPreviews } from "./attachments/shown.js";
import { Asking } from "./calls/questions.js";
import { Assistants } from "./panels/assistants.js";
import { Composer } from "./composer/composer.js";
import { setCut } from "./connection/connection.js";
import { Context } from "./panels/context.js";
import { Files } from "./files/files.js";
import { Follower } from "./thread/follow.js";
import { Head } from "./page/head.js";
import { Offers } from "./attachments/offers.js";
import { Outbox } from "./composer/outbox.js";
import { Painter } from "./thread/painter.js";
import { goToPlace } from "./thread/place.js";
import { Server } from "./connection/server.js";
import { Session } from "./connection/session.js";
import { watchShortcuts } from "./composer/shortcuts.js";
import { Settings } from "./panels/settings.js";
import { Sidebar } from "./page/sidebar.js";
import { SkillsChoice } from "./panels/skills.js";
import { Socket } from "./connection/socket.js";
import { openTurns, runningTurn } from "./connection/state.js";
import { waitsForPerson } from "./page/status.js";
import { Subagents } from "./calls/subagents.js";
import { Thread } from "./thread/thread.js";
import { Todos } from "./panels/todos.js";
import { ToolsMenu } from "./panels/tools.js";
import { watchViewport } from "./thread/viewport.js";

const TICK_MS = 100;
const RECONNECTING_SHOWN_MS = 2_000;
const ENDS = {
  done: "Answer complete",
  failed: "The answer failed. The reason is shown below it.",
  stopped: "Stopped",
};

const page = document.getElementById("chat");
const { account } = page.dataset;
const local = safeStorage(() => localStorage);
const perTab = safeStorage(() => sessionStorage);
const tab = perTab.getItem("tab") ?? randomKey();
perTab.setItem("tab", tab);

// On a phone the focus would open the keyboard.
const hasKeyboard = matchMedia("(pointer: fine)").matches;

const conversation = page.dataset.conversation || null;
const server = new Server(page.dataset);
const socket = new Socket(page.dataset.socketUrl);
const thread = new Thread(document, document.getElementById("thread"), server);
const outbox = new Outbox(local, account, tab);
const session = new Session({ socket, server, outbox, thread, conversation });
const model = document.getElementById("model");
const form = document.getElementById("composer");
const attachments = new Attachments({ document, form, server, storage: local, model: chosenModel });
const composer = new Composer(form, local, attachments, chosenModel);
const sidebar = new Sidebar(document, server, conversation);
const head = new Head(document, server);
const assistants = new Assistants(document, model);
const settings = new Settings(document, document.getElementById("settings"), conversation);
const toolsPlace = document.getElementById("tools-menu");
const tools = toolsPlace && new ToolsMenu(toolsPlace, {
  conversation,
  model: () => model,
  preset: () => assistants.value ?? "",
});
tools?.addEventListener("refused", () => toast(document, "The choice of tools was not saved. Try again."));
const skillsPlace = document.getElementById("skills-choice");
const skills = skillsPlace && new SkillsChoice(skillsPlace, {
  conversation,
  model: () => model,
  preset: () => assistants.value ?? "",
});
skills?.addEventListener("refused", () => toast(document, "The choice of skills was not saved. Try again."));
const follower = new Follower(document.getElementById("scroll"), document.getElementById("new-text"));
const asking = new Asking(document, session);
const changed = () => painter.schedule();
const subagents = new Subagents({ document, page, socket, server, changed });
const todos = new Todos(document);
const context = new Context(document, server, { conversation, model: () => model?.value ?? "" });
const files = new Files(document, conversation);
const offers = new Offers(document.getElementById("offers"), {
  token: () => form.elements.namedItem("csrfmiddlewaretoken").value,
  conversation: () => page.dataset.conversation,
});
const stop = document.getElementById("stop");
const announcer = document.getElementById("announcer");

// Drawing

let title = null;
let assistant = null;
let waited = false;
const painter = new Painter((now) => {
  const { state } = session;
  thread.draw(state, now);
  subagents.draw(state, now);
  stop.hidden = runningTurn(state) === null;
  todos.show(state.todos);
  context.show(state.context, runningTurn(state) !== null);
  files.see(state);
  if (state.title !== null && state.title !== title) {
    title = state.title;
    head.show(title);
    sidebar.refresh();
  }
  if (state.assistant !== null && state.assistant !== assistant) showAssistant(state.assistant);
  const waits = waitsForPerson(state);
  if (waits !== waited) sidebar.refresh();
  waited = waits;
  follower.grew();
});
setInterval(() => {
  if (openTurns(session.state).length === 0) return;
  thread.tick(session.state, performance.now());
  subagents.tick(performance.now());
}, TICK_MS);

function showAssistant(name) {
  const isAnother = head.assistant !== name;
  assistant = name;
  head.showAssistant(name);
  if (!isAnother) return;
  tools?.load();
  skills?.load();
}

// From the session

let reconnecting = null;
const heard = {
  change: () => painter.schedule(),
  accepted: () => sidebar.refresh(),
  began: ({ conversation: id }) => begin(id),
  ended: ({ state }) => announce(ENDS[state]),
  rejected: ({ error }) => {
    if (session.state.conversation === null) assistants.forget();
    announce(error);
  },
  refused: (refusal) => asking.refused(refusal),
  "sent-elsewhere": () => toast(document, "A message that was waiting has been sent."),
  deleted: () => showDeleted(),
  "signed-out": () => showBanner(document, "signed-out", true),
  notice: (notice) => showNotice(notice),
  connected: () => {
    asking.again();
    files.again();
    attachments.retry();
    setCut(false);
    clearTimeout(reconnecting);
    reconnecting = null;
    showBanner(document, "reconnecting", false);
    showBanner(document, "signed-out", false);
    showBanner(document, "too-many", false);
  },
  disconnected: ({ tooMany }) => {
    setCut(true);
    showBanner(document, "too-many", tooMany);
    if (tooMany) return;
    reconnecting ??= setTimeout(
      () => showBanner(document, "reconnecting", navigator.onLine),
      RECONNECTING_SHOWN_MS,
    );
  },
};
for (const [type, hear] of Object.entries(heard)) {
  session.addEventListener(type, (event) => hear(event.detail));
}

async function begin(id) {
  history.replaceState(null, "", server.url("conversation", id));
  page.dataset.conversation = id;
  head.begin(id);
  context.begin(id);
  head.showAssistant(assistants.name);
  settings.begin(id);
  tools?.begin(id);
  skills?.begin(id);
  files.begin(id);
  composer.moveDraft(draftKey(id));
  attachments.moveDraft(draftKey(id));
  sidebar.current = id;
  await sidebar.refresh();
  const name = sidebar.titleOf(id);
  if (name) head.show(name);
}

// The tab that deletes it leaves anyway.
let isDeleting = false;
document.getElementById("delete").addEventListener("submit", () => {
  isDeleting = true;
});

function showDeleted() {
  if (isDeleting) return;
  page.dataset.deleted = "";
  head.end();
  composer.lock();
  showBanner(document, "deleted", true);
  sidebar.refresh();
}

function showNotice({ code, text }) {
  const banner = document.querySelector('[data-banner="server"]');
  banner.querySelector("[data-banner-text]").textContent = text;
  banner.hidden = code !== "redis_down";
}

function announce(sentence) {
  announcer.textContent = sentence;
}

// From the person

function draftKey(id) {
  return `draft:${account}:${id ?? "new"}`;
}

function chosenModel() {
  const option = model?.selectedOptions[0];
  return {
    name: option?.textContent ?? "",
    readsImages: option?.hasAttribute("data-reads-images"),
    window: Number(option?.dataset.window ?? 0),
  };
}

function send(text, attached = [], again = null) {
  const begins = [tools?.choice ?? null, again, skills?.choice ?? null, assistants.value];
  session.send(text, model?.value ?? null, attached, ...begins);
  follower.jump();
}

// The message that the next one stands in the place of: it was taken back to be shortened.
let shortened = null;
composer.addEventListener("send", ({ detail }) => {
  send(detail.text, detail.attachments, shortened);
  shortened = null;
});
composer.addEventListener("refused", ({ detail }) => toast(document, detail));
attachments.addEventListener("said", ({ detail }) => announce(detail));
watchFiles({
  document,
  button: document.getElementById("attach"),
  input: document.getElementById("files"),
  field: form.elements.namedItem("message"),
  drop: document.getElementById("drop"),
  take: (files) => {
    attachments.add(files);
    if (hasKeyboard) composer.focus();
  },
  refuse: (sentence) => toast(document, sentence),
});
watchPreviews(document, page, server);
document.getElementById("offers-open").addEventListener("click", () => offers.open());
form.elements.namedItem("message").addEventListener("input", ({ target }) => {
  if (target.textLength === 1 && target.value === "/") offers.open();
});
files.addEventListener("said", ({ detail }) => announce(detail));
files.addEventListener("mention", ({ detail }) => composer.mention(detail));
context.addEventListener("asked", () => follower.jump());
todos.addEventListener("news", ({ detail }) => announce(detail));
offers.addEventListener("closed", () => composer.focus());
offers.addEventListener("taken", ({ detail }) => {
  attachments.restore(detail.attachments);
  composer.take(detail.text);
  for (const note of detail.notes) toast(document, note);
});
stop.addEventListener("click", () => {
  session.stop();
  if (hasKeyboard) composer.focus();
});

const clicks = {
  "[data-starter]": (button) => send(button.textContent),
  "[data-send-again]": (button) => sendAgain(button, button.dataset.sendAgain),
  "[data-summarise-again]": (button) => summariseAgain(button),
  "[data-shorten]": (button) => shorten(button),
  "[data-unsent-again]": (button) => sendUnsentAgain(button),
  "[data-unsent-edit]": (button) => editUnsent(button),
  "[data-answer]": (button) => asking.answer(button),
  "[data-stop-turn]": (button) => stopSubagent(button),
  "[data-decide]": (button) => asking.decide(button),
  "[data-decide-all]": (button) => asking.decideAll(button),
  "[data-earlier]": (button) => showEarlier(button),
};
page.addEventListener("click", (event) => {
  for (const [selector, act] of Object.entries(clicks)) {
    const button = event.target.closest(selector);
    if (button) act(button);
  }
});
// A press before there was anybody to hear it would be lost.
for (const starter of page.querySelectorAll("[data-starter]")) starter.disabled = false;

page.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-question-form]")) return;
  event.preventDefault();
  asking.send(event.target);
});

function stopSubagent(button) {
  button.disabled = socket.send({ type: "stop", turn: button.dataset.stopTurn });
  if (!button.disabled) toast(document, "No connection. Try again in a moment.");
}

function discardUnsent(button) {
  return session.discard(button.closest("[data-key]").dataset.key) ?? { text: "" };
}

function sendUnsentAgain(button) {
  const message = discardUnsent(button);
  send(message.text, message.attachments);
}

function editUnsent(button) {
  const message = discardUnsent(button);
  attachments.restore(message.attachments);
  composer.restore(message.text);
}

// Where there is nothing to summarise, a further attempt leaves out what it can.
async function summariseAgain(button) {
  const error = await context.summarise();
  if (error) toast(document, error);
  await sendAgain(button, button.dataset.summariseAgain);
}

async function shorten(button) {
  const attached = attachmentsIn(button.closest("[data-turn]"));
  try {
    const message = button.dataset.shorten;
    composer.restore(await server.get("message", message));
    attachments.restore(attached);
    shortened = message;
  } catch {
    toast(document, "The message could not be loaded. Try again in a moment.");
  }
}

async function sendAgain(button, message) {
  const attached = attachmentsIn(button.closest("[data-turn]"));
  try {
    send(await server.get("message", message), attached, message);
    // The button is hidden by the turn that follows.
    if (hasKeyboard) composer.focus();
  } catch {
    toast(document, "The message could not be loaded. Try again in a moment.");
  }
}

async function showEarlier(button = document.querySelector("[data-earlier]")) {
  if (!button) return false;
  button.disabled = true;
  const scroller = document.getElementById("scroll");
  const before = scroller.scrollHeight - scroller.scrollTop;
  try {
    thread.showEarlier(await server.getUrl(button.dataset.earlier));
    scroller.scrollTop = scroller.scrollHeight - before;
    follower.grew(false);
    return true;
  } catch {
    button.disabled = false;
    toast(document, "Earlier turns could not be loaded. Try again in a moment.");
    return false;
  }
}

model?.addEventListener("change", () => {
  attachments.modelChanged();
  composer.modelChanged();
  tools?.load();
  skills?.load();
});
assistants.addEventListener("change", () => {
  tools?.load();
  skills?.load();
});
settings.addEventListener("saved", ({ detail }) => {
  if (detail.assistant !== null) showAssistant(detail.assistant);
  toast(document, detail.sentence);
});
document.addEventListener("renamed", () => sidebar.refresh());

// Begin

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone && !document.cookie.includes(`timezone=${zone}`)) {
  document.cookie = `timezone=${zone}; path=/; max-age=31536000; SameSite=Lax`;
  sidebar.refresh();
}
watchViewport(document);
watchShortcuts(document, { sidebar, composer, session });
const { draftAttachments } = document.getElementById("message").dataset;
const isUntouched = local.getItem(draftKey(conversation)) === null;
composer.useDraft(draftKey(conversation));
attachments.useDraft(draftKey(conversation));
if (draftAttachments && isUntouched) attachments.restore(JSON.parse(draftAttachments));
const missing = () => {
  // While there is more to fetch, the failed request has been told.
  if (document.querySelector("[data-earlier]")) return;
  toast(document, "This message is no longer in the conversation.");
};
if (!goToPlace(document, follower, showEarlier, missing)) {
  follower.jump();
  if (hasKeyboard) composer.focus();
}
painter.schedule();
socket.connect();
