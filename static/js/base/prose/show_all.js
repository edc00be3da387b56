// Long texts scroll within themselves until all of one is asked for: a button of code, and <show-all>
// below the result of a tool.

import { gettext, interpolate } from "../i18n.js";
import { makeButton } from "./buttons.js";

// A button that unfolds `element`, which shows `text`.
export function makeShowAll(document, element, text) {
  const count = text.trimEnd().split("\n").length.toLocaleString("en");
  const all = interpolate(gettext("Show all %(count)s lines"), { count });
  const show = (button, isOpen) => {
    button.textContent = isOpen ? gettext("Show less") : all;
    button.setAttribute("aria-expanded", String(isOpen));
  };
  const press = ({ currentTarget }) => show(currentTarget, element.toggleAttribute("data-reader-open"));
  const button = makeButton(document, { text: all, press });
  show(button, element.hasAttribute("data-reader-open"));
  return button;
}

class ShowAll extends HTMLElement {
  connectedCallback() {
    const text = this.previousElementSibling;
    if (!this.firstChild && text) this.append(makeShowAll(document, text, text.textContent));
  }
}

customElements.define("show-all", ShowAll);
