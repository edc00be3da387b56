// The commands of the chat page. What the menu of the conversation offers is a command by itself.

import { commands } from "../../base/commands.js";
import { gettext, interpolate } from "../../base/i18n.js";
import { toast } from "../../base/toast.js";
import { lastEditable, lastOf, pressLast } from "../composer/last_message.js";
import { runningTurn } from "../connection/state.js";
import { mayChange } from "./members.js";

const TWICE_MS = 1_500;

export function registerChatCommands(parts) {
  const { document } = parts;
  const press = (id) => () => document.getElementById(id).click();
  const isThere = (id) => () => !(document.getElementById(id)?.disabled ?? true);
  commands.register(
    ...composerCommands(parts, press, isThere),
    ...conversationCommands(parts, press, isThere),
    ...readingCommands(parts, press),
  );
  commands.provide(() => choices(document, "model", gettext("Model: %(name)s"), gettext("Model"), "model"));
  commands.provide(() =>
    choices(document, "assistant", gettext("Assistant: %(name)s"), gettext("Assistant"), "thought"),
  );
}

function composerCommands({ document, composer, form }, press, isThere) {
  const section = gettext("Message");
  const sendsByEnter = () => form.elements.namedItem("message").dataset.sendingKey !== "ctrl_enter";
  return [
    { id: "send-key", name: gettext("Send the message"), shown: sendsByEnter() ? ["Enter"] : ["Ctrl", "Enter"] },
    { id: "line-key", name: gettext("Start a new line"), shown: sendsByEnter() ? ["Shift", "Enter"] : ["Enter"] },
    { id: "steer-key", name: gettext("Put the message into the running answer"), shown: ["Alt", "Enter"] },
    { id: "paste-key", name: gettext("Attach the clipboard"), shown: ["Ctrl", "V"] },
    { id: "prompts-key", name: gettext("Insert a prompt, or load a skill"), shown: ["/"] },
    { id: "mention-key", name: gettext("Choose an assistant or a model, name a file or a tool"), shown: ["@"] },
    { id: "edit-key", name: gettext("Edit your last message, from an empty one"), shown: ["↑"] },
    { id: "edit-last", name: gettext("Edit your last message"), section, icon: "edit", keys: "E", run: () => composer.editLast(), isOffered: () => lastEditable(document) !== null },
    { id: "message", name: gettext("Go to the message"), section, icon: "edit", keys: "/", run: () => composer.focus() },
    { id: "attach", name: gettext("Attach files"), section, icon: "attach", run: press("attach"), isOffered: isThere("attach") },
    { id: "offers", name: gettext("Insert a prompt or a resource"), section, icon: "plus", run: press("offers-open"), isOffered: isThere("offers-open") },
    { id: "web", name: gettext("Switch the web on or off"), section, icon: "globe", run: press("web-switch"), isOffered: () => !(document.getElementById("web-switch")?.hidden ?? true) },
    { id: "dictate", name: gettext("Dictate"), section, icon: "microphone", run: press("dictate"), isOffered: () => !document.getElementById("dictate")?.hidden },
  ];
}

function conversationCommands({ document, page, sidebar, session, find }, press, isThere) {
  const section = gettext("Conversation");
  const openMenu = (id) => () => {
    const menu = document.getElementById(id);
    menu.open = true;
    menu.querySelector("summary").focus();
  };
  const isMenu = (id) => () => !(document.getElementById(id)?.hidden ?? true);
  return [
    { id: "new", name: gettext("New conversation"), section, icon: "plus", keys: "Mod+Shift+O", run: press("new-conversation") },
    { id: "search", name: gettext("Search conversations"), section, icon: "search", run: () => sidebar.search() },
    { id: "find", name: gettext("Find in this conversation"), section, icon: "search", keys: "Mod+F", run: () => find.open(), isOffered: () => find.takesKeys },
    { id: "all", name: gettext("All conversations"), section, icon: "list", keys: "Mod+Shift+F", run: () => document.querySelector(".all-conversations").click() },
    { id: "tools", name: gettext("Choose tools"), section, icon: "tool", run: openMenu("tools-menu"), isOffered: isMenu("tools-menu") },
    { id: "files", name: gettext("Show the files"), section, icon: "folder", run: press("files-open"), isOffered: isThere("files-open") },
    { id: "stop", name: gettext("Stop the answer"), section, icon: "stop", keys: "Escape", shown: ["Esc", "Esc"], run: stopper(document, session), isOffered: () => canStop(document, page, sidebar, session) },
  ];
}

function readingCommands({ document, foot, asking }, press) {
  const section = gettext("This page");
  const answerCommand = (id, name, icon, keys, selector) => ({
    ...{ id, name, section, icon, keys },
    run: () => pressLast(document, selector),
    isOffered: () => lastOf(document, selector) !== null,
  });
  return [
    answerCommand("regenerate", gettext("Regenerate the last answer"), "refresh", "R", "[data-regenerate-menu] > summary"),
    answerCommand("before", gettext("Version before"), "chevron-left", "[", '[data-branch-step="-1"]'),
    answerCommand("after", gettext("Next version"), "chevron-right", "]", '[data-branch-step="1"]'),
    { id: "waiting", name: gettext("Go to what is waiting for you"), section, icon: "waiting", keys: "W", run: () => asking.use((it) => it.goToFirst()) },
    { id: "queue", name: gettext("Go to the queued messages"), section, icon: "clock", keys: "Q", run: () => foot.goTo() || toast(document, gettext("No message is queued.")) },
    { id: "end", name: gettext("To the end"), section, icon: "arrow-down", run: press("new-text"), isOffered: () => !document.getElementById("new-text").hidden },
    { id: "shortcuts", name: gettext("Show these shortcuts"), section, icon: "keyboard", keys: "?", run: () => document.getElementById("shortcuts").togglePopover() },
  ];
}

// Escape closes other things too, so it stops an answer only when it is pressed twice; the palette
// names what it does, so once is enough there.
function stopper(document, session) {
  let escapedAt = -Infinity;
  return (isByKey = true) => {
    const now = performance.now();
    const isSecond = !isByKey || now - escapedAt < TWICE_MS;
    escapedAt = isSecond ? -Infinity : now;
    if (isSecond) session.stop();
    else toast(document, gettext("Press Esc again to stop the answer"));
  };
}

function canStop(document, page, sidebar, session) {
  const isElsewhere = document.querySelector("details[data-menu][open], :popover-open");
  return !isElsewhere && !sidebar.isOpen && mayChange(runningTurn(session.state), page);
}

function choices(document, id, name, section, icon) {
  const select = document.getElementById(id);
  if (!select || select.disabled || select.closest("[hidden]")) return [];
  return [...select.options].map((option) => ({
    id: `${id}:${option.value}`,
    name: interpolate(name, { name: option.textContent.trim() }),
    section,
    icon,
    run: () => {
      select.value = option.value;
      select.dispatchEvent(new Event("change"));
    },
  }));
}
