// The command palette (Ctrl+K): commands of the page, and conversations by search. A combobox in a
// dialog, which is a sheet on a phone.

import { commands } from "./commands.js";
import { ranked } from "./fuzzy.js";
import { gettext, interpolate, ngettext } from "./i18n.js";
import { parseHTML } from "./morph.js";
import { OptionList } from "./option_list.js";
import { Recent } from "./recent.js";
import { safeStorage } from "./storage.js";

const PAUSE_MS = 150;
const MOST_CONVERSATIONS = 8;

export class Palette {
  #dialog;
  #input;
  #list;
  #recent = new Recent(safeStorage(() => localStorage));
  #conversations = [];
  #timer = null;
  #run = 0;

  constructor(dialog) {
    this.#dialog = dialog;
    this.#input = dialog.querySelector("[data-palette-input]");
    const list = dialog.querySelector("[data-palette-list]");
    this.#list = new OptionList(list, this.#input, dialog.querySelector("template"));
    this.#list.addEventListener("pick", ({ detail }) => this.#do(detail));
    this.#input.addEventListener("input", () => this.#typed());
    this.#input.addEventListener("keydown", (event) => this.press(event));
    dialog.addEventListener("click", ({ target }) => {
      if (target === dialog) dialog.close(); // beside it
    });
  }

  // The dialog has just been opened; something may be typed already.
  opened() {
    this.#conversations = [];
    if (this.#input.value) this.#typed();
    else this.#draw();
  }

  press(event) {
    this.#list.press(event);
  }

  #typed() {
    clearTimeout(this.#timer);
    this.#run += 1;
    this.#conversations = [];
    this.#timer = setTimeout(() => this.#search(), PAUSE_MS);
    this.#draw();
  }

  async #search() {
    const query = this.#input.value.trim();
    const run = this.#run;
    if (!query) return;
    const found = await this.#conversationsFor(query);
    if (run !== this.#run) return; // typed on
    this.#conversations = found;
    this.#draw(this.#list.chosenId);
  }

  // Empty without a connection: the commands are there all the same.
  async #conversationsFor(query) {
    try {
      const url = `${this.#dialog.dataset.conversationsUrl}?${new URLSearchParams({ q: query })}`;
      const response = await fetch(url, { headers: { "X-Requested-With": "fetch" } });
      if (!response.ok || response.redirected) return [];
      const links = parseHTML(this.#dialog.ownerDocument, await response.text());
      return [...links.querySelectorAll("a[data-conversation-link]")]
        .slice(0, MOST_CONVERSATIONS)
        .map((link) => conversationCommand(link));
    } catch {
      return [];
    }
  }

  #draw(keep = null) {
    this.#list.draw(this.#groups(), keep);
    this.#say();
  }

  #groups() {
    const query = this.#input.value.trim();
    const all = commands.offered();
    if (query) {
      const textsOf = ({ name, section, words }) => [name, `${section ?? ""} ${words ?? ""}`];
      return [
        { label: gettext("Commands"), rows: ranked(query, all, textsOf) },
        { label: gettext("Conversations"), rows: this.#conversations },
      ];
    }
    const recent = this.#recent.of(all);
    const others = all.filter((command) => !recent.includes(command));
    const sections = [...new Set(others.map(({ section }) => section))];
    return [
      { label: gettext("Recent"), rows: recent },
      ...sections.map((label) => ({ label, rows: others.filter(({ section }) => section === label) })),
    ];
  }

  // The dialog gives the focus back before the command may take it.
  #do(command) {
    this.#dialog.close();
    if (!command.isUnlisted) this.#recent.add(command.id);
    command.run(false);
  }

  #say() {
    const { count } = this.#list;
    const found = ngettext("%(count)s result", "%(count)s results", count);
    const status = this.#dialog.querySelector("[data-palette-said]");
    status.textContent = count ? interpolate(found, { count }) : gettext("No matches.");
    status.classList.toggle("visually-hidden", count > 0);
  }
}

function conversationCommand(link) {
  const { href } = link;
  return {
    id: `conversation:${link.dataset.conversationLink}`,
    name: link.querySelector("bdi")?.textContent ?? link.textContent.trim(),
    icon: "chat",
    isUnlisted: true,
    run: () => location.assign(href),
  };
}
