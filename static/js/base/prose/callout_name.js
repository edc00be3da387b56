// <callout-name class="note">: the kind of a callout, as a word with its icon.

import { gettext } from "../i18n.js";
import { icon } from "../icons.js";

const NAMES = {
  note: ["info", gettext("Note")],
  tip: ["check", gettext("Tip")],
  important: ["unknown", gettext("Important")],
  warning: ["alert", gettext("Warning")],
  caution: ["denied", gettext("Caution")],
};

class CalloutName extends HTMLElement {
  connectedCallback() {
    if (this.firstChild) return;
    const [name, word] = NAMES[this.className] ?? NAMES.note;
    this.append(icon(this.ownerDocument, name), word);
  }
}

customElements.define("callout-name", CalloutName);
