// <code-tools> in the head of a code block: copy, wrap, download, preview, all of a long one.

import { gettext } from "../i18n.js";
import { OnDemand } from "../on_demand.js";
import { makeButton } from "./buttons.js";
import { fileName, previewKind } from "./languages.js";
import { makeShowAll } from "./show_all.js";

// Lines beyond which code scrolls in itself (MAX_UNFOLDED_CODE_LINES).
const IS_LONG = "long";
const preview = new OnDemand(() => import("./preview.js"));

class CodeTools extends HTMLElement {
  connectedCallback() {
    const code = this.closest(".code")?.querySelector("code");
    if (this.firstChild || !code) return;
    this.append(...[this.#all(), this.#preview(), this.#wrap(), this.#download(), this.#copy()].filter(Boolean));
  }

  get #figure() {
    return this.closest(".code");
  }

  get #text() {
    return this.#figure.querySelector("code").textContent;
  }

  get #language() {
    return this.#figure.querySelector("figcaption > span").textContent;
  }

  #copy() {
    const button = makeButton(document, { name: "copy", label: gettext("Copy") });
    button.dataset.copyCode = "";
    return button;
  }

  #wrap() {
    const press = ({ currentTarget }) => {
      const isOn = this.#figure.toggleAttribute("data-reader-wrap");
      currentTarget.setAttribute("aria-pressed", String(isOn));
    };
    const button = makeButton(document, { name: "wrap", label: gettext("Wrap long lines"), press });
    button.setAttribute("aria-pressed", String(this.#figure.hasAttribute("data-reader-wrap")));
    return button;
  }

  #download() {
    const press = () => download(this.#text, fileName(this.#language, this.#text));
    return makeButton(document, { name: "download", label: gettext("Download"), press });
  }

  #preview() {
    const kind = previewKind(this.#language, this.#text);
    if (kind === null) return null;
    const press = ({ currentTarget }) =>
      preview.use(({ togglePreview }) => {
        const isOn = togglePreview(document, this.#figure, this.#text, kind);
        currentTarget.setAttribute("aria-expanded", String(isOn));
      });
    const button = makeButton(document, { name: "play", text: gettext("Preview"), press });
    button.setAttribute("aria-expanded", "false");
    return button;
  }

  #all() {
    if (!this.#figure.classList.contains(IS_LONG)) return null;
    return makeShowAll(document, this.#figure, this.#text);
  }
}

export function download(text, name, type = "text/plain") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

customElements.define("code-tools", CodeTools);
