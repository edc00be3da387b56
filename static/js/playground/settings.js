// The fields beside the messages: model, dialect, parameters, tools.

import { gettext, interpolate } from "../base/i18n.js";
import { get, jsonOf, linesOf, numberOf, set, shownJSON, shownLines, shownNumber } from "./draft.js";

export class Settings extends EventTarget {
  #form;
  #draft = {};

  constructor(form) {
    super();
    this.#form = form;
    form.addEventListener("input", (event) => {
      if (event.target.dataset.path) this.#typed(event.target);
    });
  }

  show(draft) {
    this.#draft = draft;
    this.#offerDialects();
    for (const field of this.#form.querySelectorAll("[data-path]")) fill(field, get(draft, field.dataset.path));
    this.#countTools();
  }

  #typed(field) {
    const { path } = field.dataset;
    set(this.#draft, path, valueOf(field));
    if (path === "model") {
      this.#offerDialects();
      fill(this.#form.querySelector("#dialect"), this.#draft.dialect);
    }
    if (path === "tools") this.#countTools();
    this.dispatchEvent(new Event("change"));
  }

  // Those that the model's provider can be spoken with in.
  #offerDialects() {
    const model = this.#form.querySelector("#model");
    const chosen = [...model.options].find((option) => option.value === this.#draft.model);
    const { dialects = "", speaks = "" } = chosen?.dataset ?? {};
    const names = dialects.split(" ").filter(Boolean);
    if (this.#draft.dialect && chosen && !names.includes(this.#draft.dialect)) this.#draft.dialect = "";
    const own = new Option(speaks ? interpolate(gettext("%(dialect)s, the model's own"), { dialect: speaks }) : gettext("The model's own"), "");
    const others = names.filter((name) => name !== speaks).map((name) => new Option(name, name));
    this.#form.querySelector("#dialect").replaceChildren(own, ...others);
  }

  #countTools() {
    const { tools } = this.#draft;
    const count = Array.isArray(tools) ? tools.length : null;
    this.#form.querySelector("#tools-count").textContent = count ? `(${count})` : "";
  }
}

function valueOf(field) {
  const { dataset, value } = field;
  if ("number" in dataset) return numberOf(value);
  if ("lines" in dataset) return linesOf(value);
  if ("json" in dataset) return jsonOf(value);
  return value || undefined;
}

function fill(field, value) {
  const { dataset } = field;
  if ("number" in dataset) field.value = shownNumber(value);
  else if ("lines" in dataset) field.value = shownLines(value);
  else if ("json" in dataset) field.value = shownJSON(value);
  else fillChoice(field, value);
  if (field.localName === "textarea") field.rows = Math.max(field.rows, Math.min(14, field.value.split("\n").length));
}

// A value that is not among the choices is one of them as long as it stands in the draft.
function fillChoice(field, value) {
  const text = typeof value === "string" ? value : shownJSON(value);
  if (text && ![...field.options].some((option) => option.value === text) && field.id !== "model") field.add(new Option(text));
  field.value = text;
  if (field.selectedIndex < 0) field.selectedIndex = 0;
}
