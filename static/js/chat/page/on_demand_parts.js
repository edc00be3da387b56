// The parts of the chat page that are loaded when they are first used, and what begins that use.

import { gettext } from "../../base/i18n.js";
import { OnDemand } from "../../base/on_demand.js";
import { toast } from "../../base/toast.js";
import { tokenAt } from "../composer/suggestion_token.js";
import { FilesOpener } from "../files/opener.js";
import { FindOpener } from "../search/find_opener.js";

export function makeOnDemandParts(parts, changed) {
  const { document, page, session, socket, server } = parts;
  return {
    suggestions: new OnDemand(() => import("../composer/mentions.js"), ({ suggest }) => suggest(parts)),
    editing: new OnDemand(() => import("../branches/editing.js"), ({ Editing }) => new Editing(parts)),
    asking: new OnDemand(() => import("../calls/questions.js"), ({ Asking }) => new Asking(document, session)),
    subagents: new OnDemand(
      () => import("../calls/subagents.js"),
      ({ Subagents }) => new Subagents({ document, socket, server, changed }),
    ),
    feedback: new OnDemand(() => import("../thread/feedback.js"), ({ Feedback }) => new Feedback(document, server)),
    place: new OnDemand(() => import("../thread/place.js")),
    todos: new OnDemand(() => import("../panels/todos.js"), (module) => makeTodos(module, parts)),
    offers: new OnDemand(() => import("../attachments/offers.js"), (module) => makeOffers(module, parts)),
    settings: new OnDemand(() => import("../panels/settings.js"), (module) => makeSettings(module, parts)),
    skills: new OnDemand(() => import("../panels/skills.js"), (module) => makeSkills(module, parts)),
    dictation: new OnDemand(() => import("../composer/dictation.js"), (module) => makeDictation(module, parts)),
    find: new FindOpener(parts),
    files: new FilesOpener(document, page),
  };
}

// What a person does that begins the use of one.
export function watchFirstUses(parts) {
  const { document, offers, settings, dictation, find } = parts;
  const opens = {
    "[data-find-open]": () => find.open(),
    "[data-settings-open]": (button) => settings.use((it) => it.open(button)),
    "#offers-open": () => offers.use((it) => it.open()),
    "#dictate": () => dictation.use((it) => it.toggle()),
  };
  document.addEventListener("click", ({ target }) => {
    for (const [selector, open] of Object.entries(opens)) {
      const button = target.closest(selector);
      if (button) open(button);
    }
  });
  document.getElementById("dictate").hidden = !(globalThis.SpeechRecognition ?? globalThis.webkitSpeechRecognition);
  watchSuggestions(parts);
  watchToggles(parts);
  if (!document.getElementById("todos").hidden) parts.todos.use(() => {});
}

// From then on they watch the field themselves.
function watchSuggestions({ form, suggestions }) {
  const field = form.elements.namedItem("message");
  field.addEventListener("input", () => {
    if (suggestions.now === null && tokenAt(field.value, field.selectionStart)) suggestions.use((it) => it.look());
  });
}

// The event does not bubble.
function watchToggles({ document, page, branches, subagents, skills }) {
  page.addEventListener("toggle", ({ target }) => {
    if (target.matches("[data-regenerate-menu]") && target.open) branches.fillMenu(target);
    const subagent = target.querySelector(":scope > .call-body > [data-subagent]");
    if (subagent) subagents.use((it) => it.toggled(target, subagent));
  }, true);
  const menu = document.getElementById("skills-choice")?.closest("details");
  menu?.addEventListener("toggle", () => {
    if (menu.open) skills.use((it) => it.load());
  });
}

function makeTodos({ Todos }, { document, announce }) {
  const todos = new Todos(document);
  todos.addEventListener("news", ({ detail }) => announce(detail));
  return todos;
}

// Prompts, skills and resources, which a button lists.
function makeOffers({ Offers }, { document, page, form, composer, attachments }) {
  const offers = new Offers(document.getElementById("offers"), {
    token: () => form.elements.namedItem("csrfmiddlewaretoken").value,
    conversation: () => page.dataset.conversation,
  });
  offers.addEventListener("closed", () => composer.focus());
  offers.addEventListener("taken", ({ detail }) => {
    attachments.restore(detail.attachments);
    composer.take(detail.text);
    for (const note of detail.notes) toast(document, note);
  });
  return offers;
}

function makeSettings({ Settings }, { document, page, showAssistant }) {
  const settings = new Settings(document, document.getElementById("settings"), () => page.dataset.conversation);
  settings.addEventListener("saved", ({ detail }) => {
    if (detail.assistant !== null) showAssistant(detail.assistant);
    toast(document, detail.sentence);
  });
  return settings;
}

function makeSkills({ SkillsChoice }, { document, page, model, assistants }) {
  const skills = new SkillsChoice(document.getElementById("skills-choice"), {
    conversation: page.dataset.conversation || null,
    model: () => model,
    preset: () => assistants.value ?? "",
  });
  const refused = gettext("The choice of skills was not saved. Try again.");
  skills.addEventListener("refused", () => toast(document, refused));
  return skills;
}

function makeDictation({ Dictation }, { document, composer }) {
  return new Dictation(document.getElementById("dictate"), composer, (sentence) => toast(document, sentence));
}
