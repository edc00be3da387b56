// A temporary conversation: chosen before it begins, erased when its page is left, unless it is kept.

import { toast } from "../../base/toast.js";
import { gettext } from "../../base/i18n.js";

const BLANK_ID = "00000000-0000-0000-0000-000000000000";

export class Temporary {
  #document;
  #server;
  #place;
  #switch;
  #banner;
  #conversation;

  constructor(document, server, conversation) {
    this.#document = document;
    this.#server = server;
    this.#place = document.getElementById("temporary");
    this.#switch = document.getElementById("temporary-switch");
    this.#banner = this.#place.querySelector("[data-temporary-banner]");
    this.#conversation = conversation;
    this.#banner.addEventListener("submit", (event) => this.#keep(event));
    // The page may come back from the browser's cache: its socket then says that it is watched.
    addEventListener("pagehide", () => this.#leave());
  }

  // Whether the first message is to begin a temporary conversation.
  get chosen() {
    return this.#conversation === null && Boolean(this.#switch?.checked);
  }

  begin(conversation) {
    const isTemporary = this.chosen;
    this.#conversation = conversation;
    if (this.#switch) this.#switch.closest("label").hidden = true;
    this.#banner.action = this.#url("keep");
    this.#banner.hidden = !isTemporary;
  }

  // It was kept, here or in another tab.
  kept() {
    if (this.#banner.hidden) return;
    const hadFocus = this.#banner.contains(this.#document.activeElement);
    this.#banner.hidden = true;
    if (hadFocus) this.#document.getElementById("message").focus();
    toast(this.#document, gettext("This conversation is kept."));
  }

  get isTemporary() {
    return this.#conversation !== null && !this.#banner.hidden;
  }

  async #keep(event) {
    event.preventDefault();
    const button = this.#banner.querySelector("button");
    button.disabled = true;
    try {
      await this.#server.post(this.#banner);
      this.kept();
      this.#document.dispatchEvent(new Event("renamed"));
    } catch {
      toast(this.#document, gettext("This was not kept. Try again in a moment."));
    } finally {
      button.disabled = false;
    }
  }

  #leave() {
    if (!this.isTemporary) return;
    navigator.sendBeacon(this.#url("leave"), new FormData(this.#banner));
  }

  #url(name) {
    return this.#place.dataset[`${name}Url`].replace(BLANK_ID, this.#conversation);
  }
}
