// Uploads into the workspace, one at a time. One whose name is taken waits for a choice without
// blocking the others.

import { gettext, interpolate } from "../../base/i18n.js";
import { size } from "../../base/format.js";
import { refusalOf } from "./state.js";

const UNREACHABLE = gettext("The server cannot be reached. Try again.");
const SIGNED_OUT = gettext("You are signed out. Sign in again, then try again.");
const REFUSED = gettext("The server rejected this file.");

export class Uploads extends EventTarget {
  #document;
  #list;
  #most;
  #queue = [];
  #isBusy = false;

  constructor(document, list, most) {
    super();
    this.#document = document;
    this.#list = list;
    this.#most = most;
  }

  // `url` is the address of uploads.
  add(files, url) {
    for (const file of files) {
      const upload = { file, url, taken: "", element: this.#draw(file), request: null };
      this.#listen(upload);
      const refusal = refusalOf(file, this.#most, size);
      if (refusal) this.#fail(upload, refusal);
      else this.#wait(upload);
    }
  }

  #draw(file) {
    const template = this.#document.getElementById("files-upload-template");
    const element = template.content.cloneNode(true).firstElementChild;
    element.querySelector("[data-upload-name]").textContent = file.name;
    element.querySelector("[data-upload-remove]").ariaLabel = interpolate(gettext("Leave out %(name)s"), { name: file.name });
    this.#list.append(element);
    return element;
  }

  #listen(upload) {
    upload.element.addEventListener("click", ({ target }) => {
      if (target.closest("[data-upload-remove]")) this.#leaveOut(upload);
      const choice = target.closest("[data-upload-take]");
      if (!choice) return;
      upload.taken = choice.dataset.uploadTake;
      this.#wait(upload);
    });
  }

  #wait(upload) {
    this.#show(upload, "waiting", {});
    this.#queue.push(upload);
    this.#next();
  }

  #leaveOut(upload) {
    this.#queue = this.#queue.filter((one) => one !== upload);
    upload.request?.abort();
    this.#remove(upload);
  }

  #remove({ element }) {
    const hadFocus = element.contains(this.#document.activeElement);
    element.remove();
    if (hadFocus) this.dispatchEvent(new Event("left"));
  }

  async #next() {
    if (this.#isBusy) return;
    const upload = this.#queue.shift();
    if (!upload) return;
    this.#isBusy = true;
    await this.#send(upload);
    this.#isBusy = false;
    this.#next();
  }

  async #send(upload) {
    this.#show(upload, "0%", { progress: 0 });
    const { status, answer } = await this.#transmit(upload);
    if (status === 0 && !upload.element.isConnected) return;
    if (status === 201) {
      this.#remove(upload);
      this.dispatchEvent(new CustomEvent("taken", { detail: answer }));
    } else if (status === 409 && answer) {
      this.#ask(upload, answer);
    } else {
      const signedOut = status === 403 || (status === 200 && !answer);
      const sentence = answer?.error ?? (signedOut ? SIGNED_OUT : status ? REFUSED : UNREACHABLE);
      this.#fail(upload, sentence);
    }
  }

  // XMLHttpRequest, because fetch() has no progress of uploads.
  #transmit(upload) {
    const { url, file, taken } = upload;
    const request = new XMLHttpRequest();
    upload.request = request;
    const form = new FormData();
    form.append("csrfmiddlewaretoken", this.#document.querySelector("[name=csrfmiddlewaretoken]").value);
    form.append("name", file.name);
    form.append("taken", taken);
    form.append("file", file, "file");
    return new Promise((resolve) => {
      request.upload.addEventListener("progress", ({ loaded, total }) => {
        this.#show(upload, `${Math.floor((100 * loaded) / total)}%`, { progress: loaded / total });
      });
      request.addEventListener("loadend", () => {
        resolve({ status: request.status, answer: parse(request.responseText) });
      });
      request.open("POST", url);
      request.setRequestHeader("X-Requested-With", "fetch");
      request.send(form);
    });
  }

  #ask(upload, { error, free, replace }) {
    this.#show(upload, error, { choice: true });
    upload.element.querySelector('[data-upload-take="replace"]').hidden = !replace;
    upload.element.querySelector('[data-upload-take="both"]').textContent = interpolate(gettext("Keep as %(name)s"), { name: free });
    this.#say(error);
  }

  #fail(upload, sentence) {
    this.#show(upload, sentence, { bad: true });
    this.#say(`${upload.file.name}: ${sentence}`);
  }

  #show({ element }, words, { progress = null, choice = false, bad = false }) {
    element.querySelector("[data-upload-state]").textContent = words;
    element.querySelector("[data-upload-choice]").hidden = !choice;
    element.toggleAttribute("data-bad", bad);
    const bar = element.querySelector("progress");
    bar.hidden = progress === null;
    bar.ariaLabel = interpolate(gettext("Upload of %(name)s"), { name: element.querySelector("[data-upload-name]").textContent });
    if (progress !== null) bar.value = progress;
  }

  #say(sentence) {
    this.dispatchEvent(new CustomEvent("said", { detail: sentence }));
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
