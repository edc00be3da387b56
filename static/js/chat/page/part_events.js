// Events between the parts of the page.

import { gettext } from "../../base/i18n.js";
import { OnDemand } from "../../base/on_demand.js";
import { toast } from "../../base/toast.js";
import { watchFiles } from "../attachments/incoming.js";
import { watchPreviews } from "../attachments/shown.js";

export function watchParts(parts) {
  watchComposer(parts);
  watchChoices(parts);
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
  watchPreviews(document, page, server);
  stop.addEventListener("click", () => {
    session.stop();
    if (hasKeyboard) composer.focus();
  });
}

function watchChoices({ document, model, assistants, tools, skills, attachments, composer }) {
  const load = () => {
    tools?.load();
    skills.now?.load();
  };
  model?.addEventListener("change", () => {
    attachments.modelChanged();
    composer.modelChanged();
    load();
  });
  assistants.addEventListener("change", load);
  if (tools && document.getElementById("web-switch")) {
    const webSwitch = new OnDemand(() => import("../composer/web_switch.js"));
    webSwitch.use(({ watchWebSwitch }) => watchWebSwitch(document, tools));
  }
  tools?.addEventListener("refused", () => toast(document, gettext("The choice of tools was not saved. Try again.")));
}

function watchNews({ document, attachments, files, context, composer, follower, sidebar, announce }) {
  attachments.addEventListener("refused", ({ detail }) => toast(document, detail));
  attachments.addEventListener("said", ({ detail }) => announce(detail));
  files.addEventListener("said", ({ detail }) => announce(detail));
  files.addEventListener("mention", ({ detail }) => composer.mention(detail));
  context.addEventListener("asked", () => follower.jump());
  document.addEventListener("renamed", () => sidebar.refresh());
}
