// The draft of the shown conversation: what the composer holds, stored on the server for all tabs and
// devices. The browser's own copy is a matter of `draft.js` and of the attachments.

import { size } from "../../base/format.js";
import { gettext, interpolate } from "../../base/i18n.js";
import { reference } from "../attachments/state.js";
import { DraftChannel, isEmpty } from "./draft_channel.js";

// A browser sends so much even while its page closes.
const KEEPALIVE_CHARACTERS = 15_000;

export class Drafts {
  #document;
  #form;
  #server;
  #storage;
  #composer;
  #attachments;
  #channel = null;
  #other = null;
  #isShowing = false;

  constructor({ document, form, server, storage, composer, attachments }) {
    this.#document = document;
    this.#form = form;
    this.#server = server;
    this.#storage = storage;
    this.#composer = composer;
    this.#attachments = attachments;
    composer.addEventListener("typed", () => this.#changed());
    attachments.addEventListener("change", () => this.#changed());
    addEventListener("focus", () => this.refresh());
    addEventListener("pagehide", () => this.#channel?.flush());
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.#channel?.flush();
      else this.refresh();
    });
    this.#note.addEventListener("click", ({ target }) => this.#clicked(target));
  }

  // `isTyped` unless the page came with the text.
  use(key, conversation, isTyped) {
    this.#open(key, conversation, isTyped);
    this.refresh();
  }

  // A new conversation has begun: what was typed since is its draft.
  move(key, conversation) {
    this.#channel.put({ text: "", attachments: [] });
    this.#open(key, conversation, true);
    this.#changed();
  }

  refresh() {
    this.#channel?.refresh();
  }

  #open(key, conversation, isTyped) {
    const url = conversation ? this.#server.url("conversationDraft", conversation) : this.#server.url("draft", "");
    const exchange = { load: () => this.#load(url), save: (change) => this.#save(url, change) };
    const channel = new DraftChannel(exchange, this.#storage, key);
    const isCurrent = () => channel === this.#channel;
    channel.addEventListener("taken", ({ detail }) => isCurrent() && this.#show(detail));
    channel.addEventListener("conflict", ({ detail }) => isCurrent() && this.#offer(detail));
    channel.addEventListener("refused", ({ detail }) => isCurrent() && this.#say(detail));
    channel.begin(this.#content, isTyped);
    this.#channel = channel;
  }

  get #content() {
    const ready = this.#attachments.items.filter(({ state }) => state === "ready");
    return { text: this.#composer.text, attachments: ready.map(reference) };
  }

  #changed() {
    if (this.#isShowing) return;
    const content = this.#content;
    if (isEmpty(content)) this.#say("");
    this.#channel?.put(content);
  }

  #show({ text, attachments }) {
    this.#isShowing = true;
    this.#attachments.replace(attachments);
    this.#composer.show(text);
    this.#isShowing = false;
  }

  // The other text is kept beside one's own until one is sent.
  #offer(other) {
    this.#other = other;
    this.#say(
      isEmpty(other)
        ? gettext("This draft was sent or emptied in another tab or on another device. Your text is kept here.")
        : gettext("This draft was changed in another tab or on another device. Your text is kept here."),
    );
    this.#note.querySelector("[data-draft-other]").hidden = isEmpty(other);
  }

  #clicked(target) {
    if (target.closest("[data-draft-other]")) {
      const own = this.#content;
      this.#show(this.#other);
      this.#other = own;
      this.#changed();
      this.#composer.focus();
    } else if (target.closest("[data-draft-close]")) {
      this.#say("");
      this.#composer.focus();
    }
  }

  get #note() {
    return this.#document.getElementById("draft-note");
  }

  #say(sentence) {
    if (!sentence) this.#other = null;
    this.#note.hidden = !sentence;
    this.#note.querySelector("[data-draft-text]").textContent = sentence;
    this.#note.querySelector("[data-draft-other]").hidden = true;
  }

  async #load(url) {
    return answerOf(await fetch(url, { headers: { "X-Requested-With": "fetch" } }), 200);
  }

  async #save(url, { text, attachments, revision }) {
    const refused = this.#tooLong(text);
    if (refused) return { refused };
    const body = new FormData();
    body.append("csrfmiddlewaretoken", this.#form.elements.namedItem("csrfmiddlewaretoken").value);
    body.append("text", text);
    body.append("attachments", JSON.stringify(attachments.map(({ id }) => id)));
    body.append("revision", revision);
    const keepalive = text.length < KEEPALIVE_CHARACTERS;
    const headers = { "X-Requested-With": "fetch" };
    const response = await fetch(url, { method: "POST", headers, body, keepalive });
    if (response.status === 413) return { refused: await refusalOf(response) };
    const { newer, revision: saved } = await answerOf(response, 200);
    if (newer) return { newer };
    if (!this.#other) this.#say(""); // it was too long before
    return { saved };
  }

  #tooLong(text) {
    const most = Number(this.#form.dataset.mostDraft);
    if (text.length * 3 <= most) return "";
    const bytes = new TextEncoder().encode(text).length;
    if (bytes <= most) return "";
    const sentence = gettext("The draft has %(size)s; the limit is %(most)s. It is kept in this browser only.");
    return interpolate(sentence, { size: size(bytes), most: size(most) });
  }
}

async function answerOf(response, status) {
  if (response.redirected || response.status !== status) throw new TypeError("the draft was not stored");
  return response.json();
}

async function refusalOf(response) {
  const answer = await response.json().catch(() => ({}));
  return answer.error ?? gettext("The draft is kept in this browser only.");
}
