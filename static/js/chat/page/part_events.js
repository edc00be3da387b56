// Events between the parts of the page.

import { gettext } from "../../base/i18n.js";
import { toast } from "../../base/toast.js";
import { watchFiles } from "../attachments/incoming.js";
import { watchPreviews } from "../attachments/shown.js";
import { Dictation } from "../composer/dictation.js";
import { Mentions } from "../composer/mentions.js";

export function watchParts(parts, drawing) {
  watchComposer(parts);
  watchOffers(parts);
  watchChoices(parts, drawing);
  watchNews(parts);
}

function watchComposer({ document, page, server, form, composer, attachments, session, stop, hasKeyboard }) {
  composer.addEventListener("refused", ({ detail }) => toast(document, detail));
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
    takeText: (text) => {
      if (!attachments.hasRoom) return false;
      attachments.addText(text);
      return true;
    },
    refuse: (sentence) => toast(document, sentence),
  });
  attachments.addEventListener("insert", ({ detail }) => {
    composer.replace(detail);
    composer.focus();
  });
  new Dictation(document.getElementById("dictate"), composer, (sentence) => toast(document, sentence));
  watchPreviews(document, page, server);
  stop.addEventListener("click", () => {
    session.stop();
    if (hasKeyboard) composer.focus();
  });
}

// Prompts, skills and resources, which a button lists; "/" and "@" suggest them while one types.
function watchOffers(parts) {
  const { document, offers, composer, attachments } = parts;
  document.getElementById("offers-open").addEventListener("click", () => offers.open());
  composer.suggest(new Mentions(parts).sources);
  offers.addEventListener("closed", () => composer.focus());
  offers.addEventListener("taken", ({ detail }) => {
    attachments.restore(detail.attachments);
    composer.take(detail.text);
    for (const note of detail.notes) toast(document, note);
  });
}

function watchChoices({ document, model, assistants, settings, tools, skills, attachments, composer }, drawing) {
  const load = () => {
    tools?.load();
    skills?.load();
  };
  model?.addEventListener("change", () => {
    attachments.modelChanged();
    composer.modelChanged();
    load();
  });
  assistants.addEventListener("change", load);
  settings.addEventListener("saved", ({ detail }) => {
    if (detail.assistant !== null) drawing.showAssistant(detail.assistant);
    toast(document, detail.sentence);
  });
  if (tools && document.getElementById("web-switch")) {
    import("../composer/web_switch.js").then(({ watchWebSwitch }) => watchWebSwitch(document, tools));
  }
  tools?.addEventListener("refused", () => toast(document, gettext("The choice of tools was not saved. Try again.")));
  skills?.addEventListener("refused", () => toast(document, gettext("The choice of skills was not saved. Try again.")));
}

function watchNews({ document, attachments, files, context, todos, composer, follower, sidebar, announce }) {
  attachments.addEventListener("said", ({ detail }) => announce(detail));
  files.addEventListener("said", ({ detail }) => announce(detail));
  files.addEventListener("mention", ({ detail }) => composer.mention(detail));
  context.addEventListener("asked", () => follower.jump());
  todos.addEventListener("news", ({ detail }) => announce(detail));
  document.addEventListener("renamed", () => sidebar.refresh());
}
