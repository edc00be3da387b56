// The attachments of the message that is being written: prepared, uploaded, shown as chips, stored
// with the draft. Dispatches `change`, `said` with a sentence for screen readers, and `refused` with one
// for everybody.

import { gettext, interpolate } from "../../base/i18n.js";
import { randomKey } from "../../base/keys.js";
import { OnDemand, Unavailable } from "../../base/on_demand.js";
import { problemOf, reference } from "./state.js";

const PASTED = gettext("Pasted text");
const handling = new OnDemand(() => import("./handling.js"));
const GONE = gettext("This file no longer exists. Remove it and attach it again.");

export class Attachments extends EventTarget {
  #document;
  #form;
  #server;
  #storage;
  #model;
  #limits;
  #items = [];
  #chips = new Map();
  #work = new Map(); // by key: { file, upload }
  #prepared = Promise.resolve(); // one after the other: an image takes much memory
  #draftKey = "";

  // `model()` returns { name, readsImages } of the chosen model.
  constructor({ document, form, server, storage, model }) {
    super();
    this.#document = document;
    this.#form = form;
    this.#server = server;
    this.#storage = storage;
    this.#model = model;
    const { most, mostBytes, mostTogether } = form.dataset;
    this.#limits = {
      most: Number(most),
      mostBytes: Number(mostBytes),
      mostTogether: Number(mostTogether),
    };
  }

  get isEmpty() {
    return this.#items.length === 0;
  }

  get items() {
    return this.#items;
  }

  // Why the message cannot be sent now; empty if it can.
  get problem() {
    return problemOf(this.#items, this.#model(), this.#limits);
  }

  add(files) {
    const room = Math.max(0, this.#limits.most - this.#items.length);
    if (files.length > room) {
      this.#refuse(interpolate(gettext("%(most)s attachments are the limit of a message."), { most: this.#limits.most }));
    }
    for (const file of files.slice(0, room)) this.#addFile(file);
    this.#changed();
  }

  // A long paste, as a file. It can be inserted as text after all.
  addText(text) {
    const number = this.#items.filter(({ isPasted }) => isPasted).length + 1;
    const name = number > 1 ? `${PASTED} ${number}.txt` : `${PASTED}.txt`;
    this.#addFile(new File([text], name, { type: "text/plain" }), { isPasted: true, note: gettext("long paste") });
    this.#changed();
  }

  get hasRoom() {
    return this.#items.length < this.#limits.most;
  }

  // Puts these in the place of those that are uploaded, as another tab has them. What this tab still
  // prepares, uploads, or could not upload stays.
  replace(references) {
    this.#items = this.#items.filter(({ state }) => state !== "ready");
    this.restore(references);
  }

  // Adds attachments that are uploaded already: of a draft, or of a message that is edited.
  restore(references) {
    for (const { id, name, size, mediaType } of references ?? []) {
      if (this.#items.some((item) => item.id === id)) continue;
      const key = randomKey();
      const isPasted = name.startsWith(PASTED);
      this.#items.push({ key, id, name, size, mediaType, state: "ready", progress: 1, note: "", isPasted });
      this.#verify(key, id);
    }
    this.#changed();
  }

  // Removes the attachments and returns them, for a message.
  take() {
    const taken = this.#items.map(reference);
    this.#items = [];
    this.#changed();
    return taken;
  }

  // Repeats the uploads that failed without a connection.
  retry() {
    for (const { key, state, again } of this.#items) {
      if (state === "failed" && again) this.#begin(key);
    }
  }

  useDraft(key) {
    this.#draftKey = `attachments:${key}`;
    this.restore(parse(this.#storage.getItem(this.#draftKey)));
  }

  moveDraft(key) {
    this.#storage.removeItem(this.#draftKey);
    this.#draftKey = `attachments:${key}`;
    this.#changed();
  }

  modelChanged() {
    this.#changed();
  }

  #addFile(file, more = {}) {
    const key = randomKey();
    const isDrawn = file.type.startsWith("image/") && file.type !== "image/svg+xml";
    const mediaType = isDrawn ? file.type : "text/plain";
    const about = { name: file.name, size: file.size, mediaType };
    this.#items.push({ key, ...about, state: "preparing", progress: 0, note: "", ...more });
    this.#work.set(key, { file });
    this.#begin(key);
  }

  #begin(key) {
    this.#patch(key, { state: "preparing", progress: 0, error: "" });
    this.#prepared = this.#prepared.then(() => this.#prepare(key));
  }

  async #prepare(key) {
    const work = this.#work.get(key);
    if (!work) return; // removed meanwhile
    try {
      const { prepare, startUpload } = await handling.load();
      work.ready ??= await prepare(this.#document, work.file);
      this.#checkSize(work.ready.blob);
      this.#upload(key, work, startUpload);
    } catch (error) {
      this.#fail(key, error.message, error instanceof Unavailable);
    }
  }

  #checkSize({ size }) {
    if (size > this.#limits.mostBytes) throw new Error(interpolate(gettext("This file is too large. %(sentence)s"), { sentence: this.#sentence }));
  }

  get #sentence() {
    return this.#document.getElementById("chips-note").textContent;
  }

  async #upload(key, work, startUpload) {
    const { blob, name, note } = work.ready;
    this.#patch(key, { state: "uploading", size: blob.size, name });
    work.upload = startUpload({
      url: this.#server.url("attachments", ""),
      token: this.#form.elements.namedItem("csrfmiddlewaretoken").value,
      blob,
      name,
      progress: (progress) => this.#patch(key, { progress }),
    });
    try {
      const kept = await work.upload.done;
      this.#work.delete(key);
      const { id, size } = kept;
      const more = [kept.note, note].filter(Boolean).join(" · ");
      this.#patch(key, { id, size, name: kept.name, mediaType: kept.media_type, state: "ready", ...(more && { note: more }) });
      this.#say(interpolate(gettext("%(name)s is attached."), { name: kept.name }));
    } catch (error) {
      this.#fail(key, error.message, error.again);
    }
  }

  #fail(key, error, again) {
    const item = this.#items.find((known) => known.key === key);
    if (!item) return;
    this.#patch(key, { state: "failed", error, again });
    this.#say(`${item.name}: ${error}`);
  }

  // Attachments of an old draft may be deleted.
  async #verify(key, id) {
    try {
      const response = await fetch(this.#server.url("attachment", id), { method: "HEAD" });
      if (response.status === 404) this.#fail(key, GONE, false);
    } catch {
      // The server is away: sending will tell.
    }
  }

  #remove(key) {
    const index = this.#items.findIndex((item) => item.key === key);
    const [item] = this.#items.splice(index, 1);
    this.#work.get(key)?.upload?.abort();
    this.#work.delete(key);
    if (item.id) this.#forget(item.id);
    this.#changed();
    const next = this.#items[Math.min(index, this.#items.length - 1)];
    const chip = next && this.#chips.get(next.key);
    (chip?.querySelector("[data-chip-remove]") ?? this.#form.elements.namedItem("message")).focus();
    this.#say(interpolate(gettext("%(name)s is removed."), { name: item.name }));
  }

  // The text of a file that was pasted, into the message.
  async #insertText(key) {
    const { id, name } = this.#items.find((item) => item.key === key);
    try {
      const text = await this.#server.get("attachment", id);
      this.#remove(key);
      this.dispatchEvent(new CustomEvent("insert", { detail: text }));
    } catch {
      this.#refuse(interpolate(gettext("%(name)s could not be loaded. Try again."), { name }));
    }
  }

  // This may fail: the server deletes unsent uploads within a day.
  async #forget(id) {
    const body = new FormData();
    body.append("csrfmiddlewaretoken", this.#form.elements.namedItem("csrfmiddlewaretoken").value);
    const url = this.#server.url("attachmentRemove", id);
    await fetch(url, { method: "POST", body }).catch(() => null);
  }

  #patch(key, changes) {
    this.#items = this.#items.map((item) => (item.key === key ? { ...item, ...changes } : item));
    this.#changed();
  }

  #changed() {
    this.#keepDraft();
    this.#draw();
    this.dispatchEvent(new Event("change"));
  }

  #keepDraft() {
    const ready = this.#items.filter(({ state }) => state === "ready").map(reference);
    try {
      if (ready.length) this.#storage.setItem(this.#draftKey, JSON.stringify(ready));
      else this.#storage.removeItem(this.#draftKey);
    } catch {
      // Storage is full: the attachments are still on the page.
    }
  }

  #draw() {
    const list = this.#document.getElementById("chips");
    this.#document.getElementById("chips-pane").hidden = this.isEmpty;
    if (handling.now !== null || !this.isEmpty) handling.use((it) => this.#drawChips(list, it));
  }

  #drawChips(list, { makeChip, updateChip }) {
    const keys = new Set(this.#items.map(({ key }) => key));
    for (const [key, chip] of this.#chips) {
      if (keys.has(key)) continue;
      chip.remove();
      this.#chips.delete(key);
    }
    for (const item of this.#items) {
      const chip = this.#chips.get(item.key) ?? this.#makeChip(list, item, makeChip);
      const url = item.id ? this.#server.url("attachment", item.id) : "";
      updateChip(this.#document, chip, item, this.#model(), url);
    }
  }

  #makeChip(list, item, makeChip) {
    const chip = makeChip(this.#document, item, {
      remove: (key) => this.#remove(key),
      again: (key) => this.#begin(key),
      insert: (key) => this.#insertText(key),
    });
    this.#chips.set(item.key, chip);
    list.append(chip);
    return chip;
  }

  #say(sentence) {
    this.dispatchEvent(new CustomEvent("said", { detail: sentence }));
  }

  #refuse(sentence) {
    this.dispatchEvent(new CustomEvent("refused", { detail: sentence }));
  }
}

function parse(text) {
  try {
    return JSON.parse(text ?? "[]");
  } catch {
    return [];
  }
}
