// The playground: a draft edited as a form or as JSON, saved while it is edited, and run.

import { gettext } from "../base/i18n.js";
import { Cards } from "./cards.js";
import { draftOf, isShowable, write } from "./draft.js";
import { DraftSaver } from "./draft_saver.js";
import { Outputs } from "./outputs.js";
import { Settings } from "./settings.js";

const page = document.getElementById("playground");
const form = document.getElementById("draft");
const json = document.getElementById("draft-json");
const views = { form: document.getElementById("form-view"), json: document.getElementById("json-view") };
const cards = new Cards(document, document.getElementById("cards"), document.getElementById("earlier"));
const settings = new Settings(form);
const saveStatus = document.getElementById("save-status");
const token = form.elements.namedItem("csrfmiddlewaretoken").value;
const saver = new DraftSaver(page.dataset.draftUrl, token, (words) => (saveStatus.textContent = words));
const outputs = new Outputs();
let draft = {};
let mode = "json";

function show(wanted) {
  text();
  if (wanted === "form") {
    const read = draftOf(json.value);
    if (!read || !isShowable(read)) return mark([{ path: "", sentence: read ? gettext("The form cannot show this: messages are objects in a list.") : gettext("This is not JSON yet.") }]);
    draft = read;
    cards.show(draft);
    settings.show(draft);
  }
  mode = wanted;
  for (const [name, view] of Object.entries(views)) view.hidden = name !== mode;
  for (const button of form.querySelectorAll("[data-mode]")) button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
}

// The draft as text. The hidden field is only filled when it is needed: it may be long.
function text() {
  if (mode === "form") json.value = write(draft);
  return json.value;
}

function changed() {
  leaveRun();
  saveStatus.textContent = "";
  saver.changed(text);
}

// The address of a run shows the input of that run; an edited draft has the playground's address.
function leaveRun() {
  const { run } = document.getElementById("outputs").dataset;
  if (location.pathname !== page.dataset.url) outputs.readdress(`${page.dataset.url}?run=${run}`);
}

function clearProblems() {
  document.getElementById("problems").hidden = true;
  for (const place of form.querySelectorAll(".errorlist")) {
    place.textContent = "";
    place.hidden = true;
  }
}

// Each problem at its field; those without a field above the form.
function mark(problems, sentence = "") {
  clearProblems();
  const unplaced = problems.filter((problem) => !place(problem));
  const box = document.getElementById("problems");
  box.querySelector("[data-sentence]").textContent = sentence;
  const items = unplaced.map(({ path, sentence: words }) => {
    const item = document.createElement("li");
    if (path) item.append(Object.assign(document.createElement("code"), { textContent: path }), " ");
    item.append(words);
    return item;
  });
  box.querySelector("[data-problems]").replaceChildren(...items);
  box.hidden = !sentence && !items.length;
  const first = form.querySelector(".errorlist:not([hidden])");
  (first ?? box).scrollIntoView({ block: "center" });
}

function place({ path, sentence }) {
  if (mode === "json" && path !== "") return false;
  if (path.startsWith("messages.")) return cards.mark(path, sentence);
  const found = form.querySelector(`.errorlist[data-error="${CSS.escape(path)}"]`);
  if (!found) return false;
  found.textContent = sentence;
  found.hidden = false;
  return true;
}

async function run() {
  const button = document.getElementById("run");
  button.disabled = true;
  saver.skip();
  text();
  try {
    const response = await fetch(form.action, { method: "POST", headers: { "X-Requested-With": "fetch" }, body: new FormData(form) });
    if (response.redirected || response.status === 403) return location.reload();
    const answer = await answerOf(response);
    if (response.status !== 201) return mark(answer.problems ?? [], answer.sentence);
    clearProblems();
    saveStatus.textContent = "";
    outputs.show(answer.url, answer.outputs);
    document.getElementById("outputs").scrollIntoView({ behavior: "smooth", block: "start" });
  } catch {
    saver.changed(text);
    mark([], gettext("The server cannot be reached. Nothing was sent; try again in a moment."));
  } finally {
    button.disabled = false;
  }
}

async function answerOf(response) {
  if (response.status === 413 || response.status === 400) return { sentence: gettext("The request is too large: leave out some messages.") };
  if (response.status >= 500) return { sentence: gettext("Internal server error. Your draft is saved; try again.") };
  return response.json();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});
form.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  if (!document.getElementById("run").disabled) form.requestSubmit();
});
form.addEventListener("click", (event) => {
  const { add, mode: wanted } = event.target.closest("button")?.dataset ?? {};
  if (add) cards.add(add);
  if (wanted && wanted !== mode) show(wanted);
});
json.addEventListener("input", changed);
cards.addEventListener("change", changed);
settings.addEventListener("change", changed);

// Deleting takes a second click.
document.getElementById("delete-form").addEventListener("submit", (event) => {
  const button = event.target.querySelector("button");
  if ("sure" in button.dataset) return;
  event.preventDefault();
  button.dataset.sure = "";
  button.querySelector("span").textContent = button.dataset.confirm;
});

document.getElementById("modes").hidden = false;
show("form");
views.json.classList.add("is-ready");
