// The page of a project: uploads by button, paste and drop; previews; replacing and removing files;
// instructions that are not lost.

import { size } from "../base/format.js";
import { gettext, interpolate } from "../base/i18n.js";
import { replaceContents } from "../base/partials.js";
import { showTimes } from "../base/times.js";
import { refusalOf } from "../chat/files/state.js";
import { Uploads } from "../chat/files/uploads.js";

const UNREACHABLE = gettext("The server cannot be reached. Try again.");
const HEADERS = { "X-Requested-With": "fetch" };

const part = document.getElementById("project-files");
const body = part.querySelector("[data-files-body]");
const input = part.querySelector("[data-files-input]");
const replacement = part.querySelector("[data-files-replacement]");
const dialog = document.getElementById("project-preview");
const uploads = new Uploads(document, part.querySelector("[data-files-uploads]"), Number(part.dataset.mostBytes));
let replaceUrl = "";

uploads.addEventListener("taken", ({ detail: { name, note } }) => {
  const values = { name, note };
  say(interpolate(note ? gettext("Uploaded %(name)s: %(note)s") : gettext("Uploaded %(name)s"), values));
  refresh();
});
uploads.addEventListener("said", ({ detail }) => say(detail));
uploads.addEventListener("left", () => part.querySelector("[data-files-upload]").focus());

async function refresh() {
  const html = await fetchText(part.dataset.url);
  if (html === null) return;
  replaceContents(body, html);
}

function upload(files) {
  tell("");
  uploads.add(files, part.dataset.uploadUrl);
}

input.addEventListener("change", () => {
  upload([...input.files]);
  input.value = ""; // the same file may be chosen again
});

replacement.addEventListener("change", async () => {
  const [file] = replacement.files;
  replacement.value = "";
  if (!file) return;
  const refusal = refusalOf(file, Number(part.dataset.mostBytes), size);
  if (refusal) tell(`${file.name}: ${refusal}`);
  else await change(replaceUrl, { file }, gettext("Replaced by %(name)s"), file.name);
});

async function change(url, fields, sentence, name) {
  const form = new FormData();
  form.append("csrfmiddlewaretoken", part.querySelector("[name=csrfmiddlewaretoken]").value);
  for (const [key, value] of Object.entries(fields)) form.append(key, value);
  tell("");
  try {
    const answer = await fetch(url, { method: "POST", headers: HEADERS, body: form });
    if (answer.redirected) throw new TypeError("signed out");
    if (answer.status === 400) tell((await answer.json()).error);
    else if (!answer.ok && answer.status !== 404) throw new TypeError("not changed");
    else say(interpolate(sentence, { name }));
  } catch {
    tell(UNREACHABLE);
  }
  await refresh();
}

async function show(url) {
  const html = await fetchText(url);
  if (html === null) return;
  const place = dialog.querySelector("[data-preview-body]");
  place.innerHTML = html;
  showTimes(place);
  if (!dialog.open) dialog.showModal();
  place.querySelector("[data-preview-title]").focus();
}

async function fetchText(url) {
  try {
    const answer = await fetch(url, { headers: HEADERS });
    if (answer.redirected) location.reload();
    if (!answer.ok || answer.redirected) throw new TypeError("not loaded");
    return await answer.text();
  } catch {
    tell(UNREACHABLE);
    return null;
  }
}

function tell(problem) {
  const place = part.querySelector("[data-files-problem]");
  place.hidden = problem === "";
  place.querySelector("[data-files-problem-text]").textContent = problem;
}

function say(sentence) {
  part.querySelector("[data-files-said]").textContent = sentence;
}

const clicks = {
  "[data-files-upload]": () => input.click(),
  "[data-files-close]": () => dialog.close(),
  "[data-file-show]": (button) => show(button.dataset.fileShow),
  "[data-file-replace]": (button) => {
    replaceUrl = button.dataset.fileReplace;
    closeMenus();
    replacement.click();
  },
  "[data-file-remove]": (button) => {
    const row = button.closest("[data-file]");
    const name = row.querySelector("bdi").textContent;
    closeMenus();
    if (!confirm(interpolate(gettext("Remove %(name)s from this project? This cannot be undone."), { name }))) return;
    change(button.dataset.fileRemove, {}, gettext("Removed %(name)s"), name).then(() => part.querySelector("[data-files-upload]").focus());
  },
  "[data-talks-more]": (link) => showMore(link),
};

document.addEventListener("click", (event) => {
  for (const [selector, act] of Object.entries(clicks)) {
    const found = event.target.closest(selector);
    if (!found) continue;
    if (found.matches("a") && (event.ctrlKey || event.metaKey || event.shiftKey)) return;
    if (found.matches("a")) event.preventDefault();
    act(found);
  }
});

function closeMenus() {
  for (const menu of document.querySelectorAll("details[data-menu][open]")) menu.open = false;
}

async function showMore(link) {
  link.setAttribute("aria-disabled", "true");
  const html = await fetchText(link.href);
  link.removeAttribute("aria-disabled");
  if (html === null) return;
  const fresh = document.createElement("div");
  fresh.innerHTML = html;
  const rows = [...fresh.querySelectorAll("li")];
  document.querySelector(".project-talk-list").append(...rows);
  const next = fresh.querySelector("[data-talks-more]");
  if (next) link.replaceWith(next);
  else link.remove();
  showTimes(document.getElementById("project-talks"));
  rows[0]?.querySelector("a").focus();
}

// Files that are pasted or dropped anywhere on the page.

const hasFiles = (transfer) => transfer?.types.includes("Files");

document.addEventListener("paste", (event) => {
  if (!hasFiles(event.clipboardData) || event.target.matches("textarea, input")) return;
  event.preventDefault();
  upload([...event.clipboardData.files]);
});

document.addEventListener("dragover", (event) => {
  if (!hasFiles(event.dataTransfer)) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = "copy";
  part.toggleAttribute("data-dropping", true);
});

document.addEventListener("dragleave", (event) => {
  if (event.relatedTarget === null) part.toggleAttribute("data-dropping", false);
});

document.addEventListener("drop", (event) => {
  part.toggleAttribute("data-dropping", false);
  if (!hasFiles(event.dataTransfer)) return;
  event.preventDefault();
  const items = [...event.dataTransfer.items].filter(({ kind }) => kind === "file");
  const isFolder = (item) => item.webkitGetAsEntry?.()?.isDirectory ?? false;
  const files = items.filter((item) => !isFolder(item)).map((item) => item.getAsFile());
  upload(files);
  if (items.some(isFolder)) tell(gettext("A folder cannot be dropped. Drop the files in it."));
});

// Instructions that were typed and not saved are asked for before the page is left.

const instructions = document.getElementById("instructions");
const saved = instructions.defaultValue;
const isConflict = instructions.hasAttribute("aria-invalid");
let isSending = false;

instructions.form.addEventListener("submit", () => {
  isSending = true;
});
addEventListener("beforeunload", (event) => {
  if (!isSending && (isConflict || instructions.value !== saved)) event.preventDefault();
});
if (isConflict) instructions.focus();
