// What is done with conversations: pin, archive, tag, move, delete. Deletion asks first and counts; the rest
// can be undone.

import { gettext, interpolate, ngettext } from "../../base/i18n.js";
import { toast } from "../../base/toast.js";

const HEADERS = { "X-Requested-With": "fetch" };

export class Organiser {
  #document;
  #urls;
  #changed;
  #tags;
  #delete;
  #chosen = [];

  // `urls`: { act, tags }. `changed` is called with an action, the ids, and the tag or project when it
  // is done.
  constructor(document, urls, changed) {
    this.#document = document;
    this.#urls = urls;
    this.#changed = changed;
    this.#tags = document.getElementById("tags-dialog");
    this.#delete = document.getElementById("delete-dialog");
    this.#tags.addEventListener("click", (event) => this.#clickTag(event));
    this.#tags.querySelector("[data-new-tag]").addEventListener("submit", (event) => this.#addTag(event));
    this.#delete.addEventListener("close", () => {
      if (this.#delete.returnValue === "delete") this.act("delete", this.#chosen);
    });
  }

  // True if it is done. What cannot be done is told.
  async act(action, ids, tag = "") {
    const outcome = await this.#post(action, ids, tag);
    if (outcome === null) return false;
    const undo = outcome.undo && outcome.ids.length > 0;
    const again = () => this.act(outcome.undo, outcome.ids, outcome.tag ?? tag);
    toast(this.#document, outcome.sentence, undo ? { label: gettext("Undo"), act: again } : null);
    this.#changed(action, ids, tag);
    return true;
  }

  askToDelete(ids) {
    this.#chosen = ids;
    const sentence = ngettext("Delete %(n)s conversation?", "Delete %(n)s conversations?", ids.length);
    const heading = this.#delete.querySelector("[data-delete-heading]");
    heading.textContent = interpolate(sentence, { n: ids.length });
    this.#delete.returnValue = "";
    this.#delete.showModal();
  }

  async chooseTags(ids) {
    this.#chosen = ids;
    this.#tell("");
    this.#tags.querySelector("[data-tags-choices]").replaceChildren();
    this.#tags.showModal();
    this.#tags.querySelector("input").focus();
    await this.#showTags();
  }

  async #showTags() {
    const query = new URLSearchParams({ ids: this.#chosen.join(",") });
    try {
      const response = await fetch(`${this.#urls.tags}?${query}`, { headers: HEADERS });
      if (!response.ok || response.redirected) throw new TypeError("no tags");
      this.#tags.querySelector("[data-tags-choices]").innerHTML = await response.text();
    } catch {
      this.#tell(gettext("The tags could not be loaded. Try again in a moment."));
    }
  }

  async #clickTag(event) {
    const button = event.target.closest("[data-tag]");
    if (!button) return;
    const action = button.getAttribute("aria-pressed") === "true" ? "untag" : "tag";
    const { tag } = button.dataset;
    await this.#changeTag(action, tag);
    const places = [...this.#tags.querySelectorAll("[data-tag]")];
    (places.find((place) => place.dataset.tag === tag) ?? this.#tags.querySelector("input")).focus();
  }

  async #addTag(event) {
    event.preventDefault();
    const input = this.#tags.querySelector("input");
    if (await this.#changeTag("tag", input.value)) input.value = "";
    input.focus();
  }

  async #changeTag(action, tag) {
    this.#tell("");
    const outcome = await this.#post(action, this.#chosen, tag, (sentence) => this.#tell(sentence));
    if (outcome === null) return false;
    await this.#showTags();
    this.#changed(action, this.#chosen);
    return true;
  }

  #tell(problem) {
    const place = this.#tags.querySelector("[data-tags-problem]");
    place.textContent = problem;
    place.hidden = problem === "";
  }

  // The outcome, or null if it cannot be done, which is told.
  async #post(action, ids, tag, tell = (sentence) => toast(this.#document, sentence)) {
    const body = new FormData();
    const token = this.#document.querySelector("[name=csrfmiddlewaretoken]").value;
    for (const [name, value] of Object.entries({ csrfmiddlewaretoken: token, action, tag })) {
      body.append(name, value);
    }
    body.append("ids", ids.join(","));
    try {
      const response = await fetch(this.#urls.act, { method: "POST", headers: HEADERS, body });
      if (response.redirected) throw new TypeError("signed out");
      const outcome = await response.json();
      if (response.ok) return outcome;
      tell(outcome.sentence);
    } catch {
      tell(gettext("That could not be done now. Nothing was changed. Try again in a moment."));
    }
    return null;
  }
}
