// The panel of the workspace's files: beside the thread if there is room, else a sheet above it. It
// is refreshed when a tool call ends; without events it makes no requests.

import { gettext, interpolate } from "../../base/i18n.js";
import { morph, parseHTML } from "../../base/morph.js";
import { showTimes } from "../../base/times.js";
import { Fetcher } from "../connection/fetcher.js";
import { endingsOf, isChanged, MOST_AT_ONCE, PAGE, queryOf, toggled } from "./state.js";
import { Uploads } from "./uploads.js";

const BLANK_ID = "00000000-0000-0000-0000-000000000000";
// As in files.css.
const WIDE = "(min-width: 64rem)";
const UNREACHABLE = gettext("The files could not be loaded.");

export class Files extends EventTarget {
  #document;
  #panel;
  #opener;
  #body;
  #conversation;
  #uploads;
  #wide = matchMedia(WIDE);
  #fetcher = new Fetcher(() => this.#refresh());
  #opened = new Map([["", PAGE]]);
  #known = new Map();
  #changed = new Set();
  #own = new Set(); // what was uploaded here, until it is listed
  #since; // what came after it and was not seen is changed: seconds of the server
  #listed = 0;
  #endings = null;
  #shown = null; // the address of the preview
  #from = null; // the path of the row that it was opened from
  #removing = null; // the button that asked

  constructor(document, conversation) {
    super();
    this.#document = document;
    this.#panel = document.getElementById("files-panel");
    this.#opener = document.getElementById("files-open");
    this.#body = this.#find("[data-files-body]");
    this.#conversation = conversation;
    this.#since = Number(this.#panel.dataset.now);
    this.#uploads = new Uploads(document, this.#find("[data-files-uploads]"), Number(this.#panel.dataset.mostBytes));
    this.#uploads.addEventListener("taken", ({ detail }) => this.#taken(detail));
    this.#uploads.addEventListener("said", ({ detail }) => this.#say(detail));
    this.#uploads.addEventListener("left", () => this.#panel.focus());
    this.#panel.addEventListener("click", (event) => this.#click(event));
    this.#panel.addEventListener("keydown", (event) => this.#key(event));
    this.#panel.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.#back();
    });
    this.#find("[data-files-input]").addEventListener("change", ({ target }) => {
      this.#upload([...target.files]);
      target.value = ""; // the same file may be chosen again
    });
    this.#wide.addEventListener("change", () => this.#panel.open && this.#show());
    this.#watchDrops();
  }

  // A new conversation has got its id.
  begin(conversation) {
    this.#conversation = conversation;
    this.again();
  }

  // Refreshes when the state has new ends of calls, which may have changed files.
  see(state) {
    const endings = endingsOf(state);
    const before = this.#endings;
    this.#endings = endings;
    if (before !== null && before !== endings && this.#conversation) this.#fetcher.ask("files");
  }

  // The connection is back.
  again() {
    if (this.#panel.open && this.#conversation) this.#fetcher.ask("files");
  }

  toggle() {
    if (this.#panel.open) this.close();
    else this.open();
  }

  open() {
    this.#show();
    this.#expand(true);
    this.again();
  }

  close() {
    this.#panel.close();
    this.#expand(false);
    this.#changed.clear();
    this.#since = Math.max(this.#since, this.#listed);
    this.#showList();
    this.#opener.focus();
  }

  #expand(isOpen) {
    this.#opener.setAttribute("aria-expanded", isOpen);
    this.#opener.closest(".chat-head").toggleAttribute("data-beside-files", isOpen);
  }

  #show() {
    const focused = this.#panel.contains(this.#document.activeElement) && this.#document.activeElement;
    if (this.#panel.open) this.#panel.close();
    if (this.#wide.matches) this.#panel.show();
    else this.#panel.showModal();
    (focused || this.#panel).focus();
  }

  #find(selector) {
    return this.#panel.querySelector(selector);
  }

  #url(name) {
    return this.#panel.dataset[name].replace(BLANK_ID, this.#conversation);
  }

  // Fetching

  async #refresh() {
    try {
      if (this.#panel.open) await this.#list();
      else await this.#count();
      this.#problem("");
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.#problem(UNREACHABLE);
    }
    return false;
  }

  async #count() {
    const answer = await this.#fetch(this.#url("countUrl"));
    this.#showCount((await answer.json()).count);
  }

  async #list() {
    const answer = await this.#fetch(`${this.#url("url")}?${queryOf(this.#opened)}`);
    const fresh = this.#body.cloneNode(false);
    fresh.append(parseHTML(this.#document, await answer.text()));
    this.#mark(fresh);
    morph(this.#body, fresh);
    showTimes(this.#body);
    this.#showCount(this.#find(".files-listing").dataset.count);
    if (this.#shown) await this.#loadPreview();
  }

  async #fetch(url, options = {}) {
    const headers = { "X-Requested-With": "fetch" };
    const answer = await fetch(url, { headers, ...options });
    if (!answer.ok || answer.redirected) throw new TypeError(`the server answered ${answer.status}`);
    return answer;
  }

  #mark(fresh) {
    for (const row of fresh.querySelectorAll(".files-row")) {
      const { path, kind, signature, modified } = row.dataset;
      const file = { path, kind, signature, modified: Number(modified) };
      const isNews = !this.#own.delete(path) && isChanged(file, this.#known, this.#since);
      if (isNews) this.#changed.add(path);
      this.#known.set(path, signature);
      row.toggleAttribute("data-changed", this.#changed.has(path));
      const mark = row.querySelector("[data-files-changed]");
      if (mark) mark.hidden = !this.#changed.has(path);
    }
    this.#listed = Number(fresh.querySelector(".files-listing").dataset.now);
  }

  #showCount(count) {
    this.#opener.querySelector("[data-files-count]").textContent = count === "0" ? "" : count;
  }

  #problem(sentence) {
    this.#find("[data-files-problem]").hidden = !sentence;
    this.#find("[data-files-problem-text]").textContent = sentence;
  }

  // Actions of the person

  #click(event) {
    const { target } = event;
    const actions = {
      "[data-files-close]": () => this.close(),
      "[data-files-back]": () => this.#back(),
      "[data-files-again]": () => this.#fetcher.ask("files"),
      "[data-files-upload]": () => this.#find("[data-files-input]").click(),
      "[data-files-folder]": (button) => this.#toggle(rowOf(button).dataset.path),
      "[data-files-more]": (button) => this.#more(button),
      "[data-files-show]": (button) => this.#preview(button),
      "[data-files-mention]": (button) => this.#mention(button.dataset.filesMention),
      "[data-files-remove]": (button) => this.#askRemoval(button),
      "[data-files-keep]": () => this.#keep(),
      "[data-files-delete]": () => this.#remove(),
    };
    for (const [selector, act] of Object.entries(actions)) {
      const found = target.closest(selector);
      if (found) return act(found);
    }
    return undefined;
  }

  #key(event) {
    if (event.key === "Escape" && this.#wide.matches) {
      event.preventDefault();
      this.#back();
    }
    if (event.key === "ArrowDown" || event.key === "ArrowUp") this.#step(event);
  }

  // Arrow keys move between rows.
  #step(event) {
    const names = [...this.#body.querySelectorAll(".files-name:is(button)")];
    const at = names.indexOf(this.#document.activeElement);
    if (at < 0) return;
    event.preventDefault();
    names[at + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
  }

  // Closes what was opened last.
  #back() {
    if (!this.#find("[data-files-confirm]").hidden) this.#keep();
    else if (this.#shown) this.#showList(true);
    else this.close();
  }

  #toggle(path) {
    this.#opened = toggled(this.#opened, path);
    this.#fetcher.ask("files");
  }

  #more(button) {
    const path = button.closest(".files-more").dataset.path;
    this.#opened.set(path, Number(button.dataset.filesMore));
    button.disabled = true;
    this.#fetcher.ask("files");
  }

  async #preview(button) {
    this.#from = rowOf(button)?.dataset.path ?? this.#from;
    this.#shown = button.dataset.filesShow;
    this.#changed.delete(this.#from);
    try {
      await this.#loadPreview();
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.#problem(UNREACHABLE);
      this.#showList();
      return;
    }
    this.#find('[data-files-view="list"]').hidden = true;
    this.#find('[data-files-view="preview"]').hidden = false;
    this.#panel.toggleAttribute("data-previewing", true);
    this.#find("[data-preview-title]").focus();
  }

  async #loadPreview() {
    const wanted = this.#shown;
    const html = await (await this.#fetch(wanted)).text();
    if (wanted !== this.#shown) return;
    const view = this.#find('[data-files-view="preview"]');
    const fresh = view.cloneNode(false);
    fresh.append(parseHTML(this.#document, html));
    const article = view.querySelector("article");
    const isSame = article?.dataset.previewPath === fresh.querySelector("article").dataset.previewPath;
    if (isSame) morph(view, fresh);
    else view.replaceChildren(...fresh.childNodes);
    showTimes(view);
  }

  #showList(focus = false) {
    this.#shown = null;
    this.#panel.toggleAttribute("data-previewing", false);
    this.#find('[data-files-view="preview"]').hidden = true;
    this.#find('[data-files-view="list"]').hidden = false;
    if (!focus) return;
    const row = this.#rows().find(({ dataset }) => dataset.path === this.#from);
    if (row) {
      row.toggleAttribute("data-changed", false);
      row.querySelector("[data-files-changed]").hidden = true;
    }
    (row?.querySelector(".files-name") ?? this.#panel).focus();
  }

  #rows() {
    return [...this.#body.querySelectorAll(".files-row")];
  }

  #mention(path) {
    if (!this.#wide.matches) this.close();
    this.dispatchEvent(new CustomEvent("mention", { detail: path }));
  }

  #askRemoval(button) {
    this.#removing = button;
    const row = rowOf(button);
    this.#find("[data-files-confirm-name]").textContent = row.querySelector("[data-files-name]").textContent;
    this.#find("[data-files-confirm-folder]").hidden = row.dataset.kind !== "folder";
    this.#find("[data-files-confirm]").hidden = false;
    this.#find("[data-files-keep]").focus();
  }

  #keep() {
    this.#find("[data-files-confirm]").hidden = true;
    (this.#removing?.isConnected ? this.#removing : this.#panel).focus();
  }

  async #remove() {
    const button = this.#removing;
    this.#find("[data-files-confirm]").hidden = true;
    this.#panel.focus();
    const body = new FormData();
    body.set("csrfmiddlewaretoken", this.#document.querySelector("[name=csrfmiddlewaretoken]").value);
    try {
      const headers = { "X-Requested-With": "fetch" };
      const answer = await fetch(button.dataset.filesRemove, { method: "POST", headers, body });
      const isKnown = answer.status === 400;
      if (isKnown) this.#problem((await answer.json()).error);
      else if (!answer.ok || answer.redirected) throw new TypeError("it was not deleted");
      else this.#removed(rowOf(button));
    } catch {
      this.#problem(gettext("Not deleted: the server cannot be reached."));
    }
  }

  #removed(row) {
    this.#say(interpolate(gettext("Deleted %(name)s"), { name: row.querySelector("[data-files-name]").textContent }));
    this.#known.delete(row.dataset.path);
    this.#fetcher.ask("files");
  }

  // Uploads

  #upload(files) {
    if (files.length > MOST_AT_ONCE) {
      this.#problem(interpolate(gettext("These are %(count)s files; take at most %(most)s at once."), { count: files.length, most: MOST_AT_ONCE }));
    } else {
      this.#uploads.add(files, this.#url("uploadUrl"));
    }
  }

  #taken({ id, name }) {
    this.#own.add(id);
    this.#say(interpolate(gettext("Uploaded %(name)s"), { name }));
    this.#fetcher.ask("files");
  }

  #watchDrops() {
    const panel = this.#panel;
    // Without a conversation there is no workspace: files are attached to the message.
    const isMeant = (event) => this.#conversation && event.dataTransfer?.types.includes("Files");
    panel.addEventListener("dragover", (event) => {
      if (!isMeant(event)) return;
      // Files dropped here go into the workspace, not to the message.
      event.stopPropagation();
      event.preventDefault();
      event.dataTransfer.dropEffect = "copy";
      this.#document.getElementById("drop").hidden = true;
      panel.toggleAttribute("data-dropping", true);
    });
    panel.addEventListener("dragleave", (event) => {
      if (!panel.contains(event.relatedTarget)) panel.toggleAttribute("data-dropping", false);
    });
    panel.addEventListener("drop", (event) => {
      panel.toggleAttribute("data-dropping", false);
      if (!isMeant(event)) return;
      event.stopPropagation();
      event.preventDefault();
      this.#dropped(event.dataTransfer);
    });
  }

  #dropped({ items }) {
    const found = [...items].filter(({ kind }) => kind === "file");
    const isFolder = (item) => item.webkitGetAsEntry?.()?.isDirectory ?? false;
    if (found.some(isFolder)) this.#problem(gettext("A folder cannot be dropped. Drop the files in it."));
    this.#showList();
    this.#upload(found.filter((item) => !isFolder(item)).map((item) => item.getAsFile()));
  }

  #say(sentence) {
    this.dispatchEvent(new CustomEvent("said", { detail: sentence }));
  }
}

function rowOf(element) {
  return element.closest(".files-row");
}
