// The parts of the chat page, made once and named, for the modules that wire them together.

import { randomKey } from "../../base/keys.js";
import { safeStorage } from "../../base/storage.js";
import { Attachments } from "../attachments/attachments.js";
import { Branches } from "../branches/branches.js";
import { Composer } from "../composer/composer.js";
import { Drafts } from "../composer/drafts.js";
import { Outbox } from "../composer/outbox.js";
import { Server } from "../connection/server.js";
import { Session } from "../connection/session.js";
import { Socket } from "../connection/socket.js";
import { Assistants } from "../panels/assistants.js";
import { Context } from "../panels/context.js";
import { ToolsMenu } from "../panels/tools.js";
import { Foot } from "../queue/foot.js";
import { Follower } from "../thread/follow.js";
import { Gaps } from "../thread/gaps.js";
import { Thread } from "../thread/thread.js";
import { Head } from "./head.js";
import { Notifications } from "./notifications.js";
import { makeOnDemandParts } from "./on_demand_parts.js";
import { Sidebar } from "./sidebar.js";
import { Temporary } from "./temporary.js";

// `changed` is called when something is to be drawn.
export function makeParts(document, changed) {
  const page = document.getElementById("chat");
  const { account } = page.dataset;
  const conversation = page.dataset.conversation || null;
  const local = safeStorage(() => localStorage);
  const server = new Server(page.dataset);
  const socket = new Socket(page.dataset.socketUrl);
  const thread = new Thread(document, document.getElementById("thread"), server);
  const outbox = new Outbox(local, account, tabKey());
  const foot = new Foot(document, document.getElementById("thread-foot"), server);
  const session = new Session({ socket, server, outbox, thread, foot, conversation });
  const model = document.getElementById("model");
  const chosenModel = () => describeModel(model);
  const form = document.getElementById("composer");
  const attachments = new Attachments({ document, form, server, storage: local, model: chosenModel });
  const follower = new Follower(document.getElementById("scroll"), document.getElementById("new-text"));
  const announcer = document.getElementById("announcer");
  // For screen readers.
  const announce = (sentence) => {
    announcer.textContent = sentence;
  };
  const gaps = new Gaps({ document, page, server, thread, follower, announce });
  const composer = new Composer(form, local, attachments, chosenModel);
  const parts = {
    ...{ document, page, conversation, local, server, socket, thread, foot, session, model, form, attachments },
    composer,
    drafts: new Drafts({ document, form, server, storage: local, composer, attachments }),
    sidebar: new Sidebar(document, server, conversation),
    head: new Head(document, server),
    notifications: new Notifications(document, "notifications" in page.dataset),
    temporary: new Temporary(document, server, conversation),
    ...panels(document, { conversation, server, model }),
    follower,
    gaps,
    stop: document.getElementById("stop"),
    // On a phone the focus would open the keyboard.
    hasKeyboard: matchMedia("(pointer: fine)").matches,
    draftKey: (id) => `draft:${account}:${id ?? "new"}`,
    announce,
  };
  parts.branches = new Branches(parts);
  return Object.assign(parts, makeOnDemandParts(parts, changed));
}

// The panels beside the thread. `tools` is null where there is nothing to choose.
function panels(document, { conversation, server, model }) {
  const assistants = new Assistants(document, model);
  const options = { conversation, model: () => model, preset: () => assistants.value ?? "" };
  const toolsPlace = document.getElementById("tools-menu");
  return {
    assistants,
    tools: toolsPlace && new ToolsMenu(toolsPlace, options),
    context: new Context(document, server, { conversation, model: () => model?.value ?? "" }),
  };
}

function describeModel(model) {
  const option = model?.selectedOptions[0];
  return {
    name: option?.textContent ?? "",
    readsImages: option?.hasAttribute("data-reads-images"),
    window: Number(option?.dataset.window ?? 0),
  };
}

// Random, and the same after a reload of the tab.
function tabKey() {
  const perTab = safeStorage(() => sessionStorage);
  const key = perTab.getItem("tab") ?? randomKey();
  perTab.setItem("tab", key);
  return key;
}
