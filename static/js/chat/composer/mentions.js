// What "/" and "@" in the message offer: prompts, skills and resources; models, assistants, tools and
// files of the conversation.

import { gettext, interpolate } from "../../base/i18n.js";
import { toast } from "../../base/toast.js";
import { Suggestions } from "./suggestions.js";

const FRESH_MS = 15_000;
const KIND_ICONS = { template: "chat", prompt: "chat", skill: "file", resource: "server" };

// Suggests them above the composer while one types.
export function suggest(parts) {
  const { document, form, composer } = parts;
  composer.suggestions = new Suggestions({
    pane: document.getElementById("suggestions"),
    field: form.elements.namedItem("message"),
    status: document.getElementById("suggestions-status"),
    sources: new Mentions(parts).sources,
    replace: (start, end) => composer.replace("", start, end),
  });
  return composer.suggestions;
}

class Mentions {
  #parts;
  #known = null;
  #knownAt = -Infinity;
  #switched = null; // { from, to }: the model of this message only

  constructor(parts) {
    this.#parts = parts;
    // After the message has gone with the model that was chosen for it.
    parts.composer.addEventListener("send", () => this.#switchBack());
  }

  get sources() {
    return { "/": () => this.#inserts(), "@": () => this.#names() };
  }

  async #inserts() {
    const { offers } = this.#parts;
    const rows = await offers.use((it) => it.rows());
    const command = (row) => ({
      id: `${row.kind}:${row.name}:${row.from}`,
      name: row.name,
      about: [row.from, row.about].filter(Boolean).join(" · "),
      words: row.one.name,
      icon: KIND_ICONS[row.kind],
      run: () => offers.use((it) => it.pick(row)),
    });
    const of = (...kinds) => rows.filter(({ kind }) => kinds.includes(kind)).map(command);
    return [
      { label: gettext("Prompts"), rows: of("template", "prompt") },
      { label: gettext("Skills"), rows: of("skill") },
      { label: gettext("Resources"), rows: of("resource") },
    ];
  }

  async #names() {
    const models = { label: gettext("Models"), rows: this.#models() };
    const known = await this.#load().catch(() => ({ assistants: [], tools: [], files: [] }));
    return [
      models,
      { label: gettext("Assistants"), rows: known.assistants.map((one) => this.#assistant(one)) },
      { label: gettext("Files"), rows: known.files.map((path) => this.#mention(path, "", path, "file")) },
      {
        label: gettext("Tools"),
        rows: known.tools.map(({ name, server, about }) =>
          this.#mention(name, [server, about].filter(Boolean).join(" · "), name, "tool")),
      },
    ];
  }

  async #load() {
    if (this.#known && performance.now() - this.#knownAt < FRESH_MS) return this.#known;
    const { page, server } = this.#parts;
    const id = page.dataset.conversation;
    const url = id ? server.url("conversationMentions", id) : server.url("mentions", "");
    this.#known = JSON.parse(await server.getUrl(url));
    this.#knownAt = performance.now();
    return this.#known;
  }

  #models() {
    const { model, document } = this.#parts;
    return [...(model?.options ?? [])].map((option) => ({
      id: `model:${option.value}`,
      name: option.textContent.trim(),
      icon: "model",
      run: () => {
        this.#switched = { from: this.#switched?.from ?? model.value, to: option.value };
        this.#choose(option.value);
        this.#tell(document, gettext("%(name)s answers this message."), option.textContent.trim());
      },
    }));
  }

  // Unless the person has chosen yet another one since.
  #switchBack() {
    const { from, to } = this.#switched ?? {};
    this.#switched = null;
    if (to && this.#parts.model.value === to) this.#choose(from);
  }

  #choose(value) {
    const { model } = this.#parts;
    if (model.value === value) return;
    model.value = value;
    model.dispatchEvent(new Event("change"));
  }

  #assistant({ id, name, about }) {
    return { id: `assistant:${id}`, name, about, icon: "thought", run: () => this.#switchTo(id, name) };
  }

  // In a conversation as in its settings: from the next message on.
  async #switchTo(id, name) {
    const { document, page, assistants, settings, composer } = this.#parts;
    composer.focus();
    if (!page.dataset.conversation) {
      assistants.choose(id);
      this.#tell(document, gettext("%(name)s answers this conversation."), name);
      return;
    }
    const problem = await settings.use((it) => it.chooseAssistant(id));
    if (problem) toast(document, problem);
  }

  #mention(name, about, text, icon) {
    const { composer } = this.#parts;
    return { id: `${icon}:${name}`, name, about, icon, run: () => composer.mention(text) };
  }

  #tell(document, sentence, name) {
    this.#parts.composer.focus();
    toast(document, interpolate(sentence, { name }));
  }
}
