// The page of all conversations: results while typing, keys, choosing several and acting on them.

import { isComposing } from "../../base/composing.js";
import { gettext, interpolate, ngettext } from "../../base/i18n.js";
import { OnDemand } from "../../base/on_demand.js";
import { showTimes } from "../../base/times.js";
import { toast } from "../../base/toast.js";
import { addressOf, keyOf, moved } from "./choice.js";
import { Organiser } from "./organiser.js";

const TYPING_PAUSE_MS = 150;
const FIELDS = "input:not([type=checkbox]), textarea, select";

const page = document.getElementById("search-page");
const filters = document.getElementById("filters");
const query = document.getElementById("query");
const choosing = document.getElementById("choosing");
const results = document.getElementById("results");
const announcer = document.getElementById("announcer");
const { actUrl: act, tagsUrl: tags } = page.dataset;
const organiser = new Organiser(document, { act, tags }, () => reload());
const moving = new OnDemand(() => import("../projects/moving.js"));
let typing = null;
let latest = 0;

// The list anew, by the filters. Of several requests under way the last one counts.
async function reload() {
  const number = (latest += 1);
  const address = addressOf(new FormData(filters));
  nameStates();
  results.setAttribute("aria-busy", "true");
  const html = await fetchList(`${filters.action}?${address}`);
  if (number !== latest) return;
  results.removeAttribute("aria-busy");
  if (html === null) return;
  const kept = new Set(chosen());
  const hadFocus = choosing.contains(document.activeElement);
  results.innerHTML = html;
  for (const box of boxes()) box.checked = kept.has(box.value);
  history.replaceState(null, "", address ? `?${address}` : location.pathname);
  shown();
  if (hadFocus) focusAgain();
  announce();
}

// A row that had the focus is gone, or what acts on chosen rows, since none is chosen any more.
function focusAgain() {
  const { activeElement: active, body } = document;
  if (active !== body && active.checkVisibility()) return;
  (results.querySelector("[data-result-link]") ?? query).focus();
}

// A search finds what is archived too; the list shows it only when it is asked for.
function nameStates() {
  const [usual, , all] = filters.elements.namedItem("state").options;
  const isSearch = query.value.trim() !== "";
  usual.textContent = isSearch ? usual.dataset.ofSearch : usual.dataset.ofList;
  all.hidden = isSearch;
}

async function fetchList(url) {
  try {
    const response = await fetch(url, { headers: { "X-Requested-With": "fetch" } });
    if (response.redirected) location.reload();
    if (!response.ok || response.redirected) throw new TypeError("no list");
    return await response.text();
  } catch {
    toast(document, gettext("The conversations could not be loaded. Try again in a moment."));
    return null;
  }
}

function announce() {
  const count = results.querySelectorAll("[data-result]").length;
  const more = results.querySelector("[data-more-results]") !== null;
  const sentence = more
    ? ngettext("%(n)s conversation shown; there are more.", "%(n)s conversations shown; there are more.", count)
    : ngettext("%(n)s conversation shown.", "%(n)s conversations shown.", count);
  announcer.textContent = interpolate(sentence, { n: count });
}

async function showMore(link) {
  const number = latest;
  link.setAttribute("aria-disabled", "true");
  const html = await fetchList(link.href);
  link.removeAttribute("aria-disabled");
  if (html === null || number !== latest) return; // failed, or the list is another one by now
  const fresh = document.createElement("div");
  fresh.innerHTML = html;
  const rows = [...fresh.querySelectorAll("[data-result]")];
  results.querySelector(".results").append(...rows);
  const next = fresh.querySelector("[data-more-results]");
  if (next) link.replaceWith(next);
  else link.remove();
  rows[0]?.querySelector("[data-result-link]").focus();
  shown();
  announce();
}

function boxes() {
  return [...results.querySelectorAll("[name=ids]")];
}

function chosen() {
  return boxes().filter((box) => box.checked).map((box) => box.value);
}

// To call when rows or choices have changed.
function shown() {
  showTimes(results);
  const count = chosen().length;
  const total = boxes().length;
  const all = choosing.querySelector("[data-choose-all]");
  all.checked = count > 0 && count === total;
  all.indeterminate = count > 0 && count < total;
  all.disabled = total === 0;
  choosing.querySelector("[data-selection-acts]").hidden = count === 0;
  choosing.querySelector("[data-chosen-count]").textContent = count
    ? interpolate(ngettext("%(n)s chosen", "%(n)s chosen", count), { n: count })
    : gettext("Choose all shown");
}

function chooseProject() {
  moving.use((it) => it.chooseProject(organiser, chosen()));
}

function move(event) {
  const links = [...results.querySelectorAll("[data-result-link]")];
  const row = document.activeElement.closest("[data-result]");
  const current = links.includes(document.activeElement)
    ? document.activeElement
    : row?.querySelector("[data-result-link]");
  const place = moved(event.key, links.indexOf(current), links.length);
  if (place < 0) query.focus();
  else links[place].focus();
}

const actions = {
  move,
  choose: () => document.activeElement.closest("[data-result]")?.querySelector("[name=ids]").click(),
  help: () => document.getElementById("search-shortcuts").togglePopover(),
  query: () => {
    query.focus();
    query.select();
  },
};

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || isComposing(event)) return;
  if (document.querySelector(":modal, :popover-open, details[data-menu][open]")) return;
  const isField = event.target.matches(FIELDS);
  const name = keyOf(event, { isField, isQuery: event.target === query });
  if (name === null) return;
  event.preventDefault();
  actions[name](event);
});

query.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(reload, TYPING_PAUSE_MS);
});
filters.addEventListener("change", (event) => {
  if (event.target !== query) reload();
});
filters.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(typing);
  reload();
});
choosing.addEventListener("change", (event) => {
  if (event.target.matches("[data-choose-all]")) {
    for (const box of boxes()) box.checked = event.target.checked;
  }
  shown();
});
choosing.addEventListener("submit", (event) => {
  if (event.submitter.hasAttribute("formaction")) return; // a download
  event.preventDefault();
  organiser.act(event.submitter.value, chosen());
});
choosing.addEventListener("click", (event) => {
  if (event.target.closest("[data-tags-open]")) organiser.chooseTags(chosen());
  if (event.target.closest("[data-move-open]")) chooseProject();
  if (event.target.closest("[data-delete-open]")) organiser.askToDelete(chosen());
  const more = event.target.closest("[data-more-results]");
  if (!more || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  showMore(more);
});
addEventListener("pageshow", shown);
shown();
