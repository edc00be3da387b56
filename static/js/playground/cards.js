// The messages of a draft as cards. Each change goes into the draft at once and is announced.

import { gettext, interpolate } from "../base/i18n.js";
import { add, addCall, alsoHas, describePart, move, remove, removeCall } from "./draft.js";

const MOST_AT_FIRST = 40;
const MORE = 100;
const FIELDS = ["content", "reasoning_content", "tool_call_id", "is_error"];

export class Cards extends EventTarget {
  #list;
  #earlier;
  #draft = { messages: [] };
  #first = 0;

  constructor(document, list, earlier) {
    super();
    this.#list = list;
    this.#earlier = earlier;
    earlier.addEventListener("click", () => this.#showFrom(this.#first - MORE));
    list.addEventListener("input", (event) => this.#typed(event.target));
    list.addEventListener("click", (event) => this.#clicked(event.target.closest("button")));
  }

  // Long histories begin with their last messages.
  show(draft) {
    this.#draft = draft;
    const count = draft.messages?.length ?? 0;
    this.#first = count > MOST_AT_FIRST * 1.5 ? count - MOST_AT_FIRST : 0;
    this.#paint();
  }

  add(role) {
    const place = add(this.#draft, role);
    if (place < this.#first) this.#first = place;
    this.#paint();
    this.#changed();
    const card = this.#card(place);
    (role === "tool" ? card.querySelector("[data-key=content]") : firstField(card))?.focus();
  }

  // Shows a problem at its field; false if it has none here.
  mark(path, sentence) {
    const [, index, ...rest] = path.split(".");
    if (Number(index) < this.#first) this.#showFrom(Number(index));
    const place = errorPlace(this.#card(Number(index)), rest);
    if (!place) return false;
    place.textContent = sentence;
    place.hidden = false;
    return true;
  }

  #card(index) {
    return this.#list.querySelector(`[data-index="${index}"]`);
  }

  #showFrom(index) {
    this.#first = Math.max(0, index);
    this.#paint();
  }

  #paint() {
    const messages = this.#draft.messages ?? [];
    this.#earlier.hidden = this.#first === 0;
    this.#earlier.textContent = interpolate(gettext("Show %(count)s of %(all)s earlier messages"), { count: Math.min(MORE, this.#first), all: this.#first.toLocaleString("en") });
    const cards = messages.slice(this.#first).map((message, at) => this.#makeCard(message, this.#first + at, messages.length));
    this.#list.start = this.#first + 1;
    this.#list.replaceChildren(...cards);
  }

  #makeCard(message, index, count) {
    const card = clone("card-template");
    card.dataset.index = index;
    card.dataset.role = message.role;
    const role = card.querySelector("[data-key=role]");
    if (![...role.options].some((option) => option.value === message.role)) role.add(new Option(message.role ?? ""));
    role.value = message.role ?? "";
    card.querySelector("[data-position]").textContent = index + 1;
    card.querySelector('[data-move="-1"]').disabled = index === 0;
    card.querySelector('[data-move="1"]').disabled = index === count - 1;
    card.setAttribute("aria-label", interpolate(gettext("Message %(number)s, %(role)s"), { number: index + 1, role: message.role }));
    fillFields(card, message, index);
    fillParts(card, message);
    fillCalls(card, message);
    const also = alsoHas(message);
    card.querySelector("[data-also]").hidden = also.length === 0;
    card.querySelector("[data-also]").textContent = interpolate(gettext("Beside this: %(also)s. See the JSON."), { also: also.join(", ") });
    card.querySelector("[data-foot]").hidden = message.role !== "assistant";
    card.querySelector("[data-add-reasoning]").hidden = message.reasoning_content !== undefined;
    return card;
  }

  #typed(field) {
    const card = field.closest("[data-index]");
    const message = this.#draft.messages[card.dataset.index];
    const { key, call, part } = field.dataset;
    if (key === "is_error") setOrDrop(message, key, field.checked || undefined);
    else if (key) message[key] = field.value;
    else if (part !== undefined) message.content[part].text = field.value;
    else if (call) {
      const target = message.tool_calls[field.closest("[data-call-index]").dataset.callIndex];
      if (call === "id") target.id = field.value;
      else target.function = { ...target.function, [call]: field.value };
    }
    if (key === "role") this.#paintAgain(card);
    this.#changed();
  }

  #clicked(button) {
    const card = button?.closest("[data-index]");
    if (!card) return;
    const index = Number(card.dataset.index);
    const message = this.#draft.messages[index];
    const { dataset } = button;
    let at = index;
    if (dataset.move) at = move(this.#draft, index, Number(dataset.move));
    else if ("remove" in dataset) remove(this.#draft, index);
    else if ("addCall" in dataset) addCall(message);
    else if ("addReasoning" in dataset) message.reasoning_content = "";
    else if ("removeCall" in dataset) removeCall(message, button.closest("[data-call-index]").dataset.callIndex);
    else if ("removePart" in dataset) message.content.splice(button.closest("[data-part-index]").dataset.partIndex, 1);
    else return;
    if (!dataset.move) this.#paint();
    else if (at < this.#first) this.#showFrom(at);
    else for (const one of [index, at]) this.#repaint(one);
    this.#changed();
    this.#focusAfter(dataset, at);
  }

  // Where the reader goes on: at the same button, or at what was added.
  #focusAfter(dataset, at) {
    const last = (this.#draft.messages.length || 1) - 1;
    const card = this.#card(Math.min(at, last));
    if (!card) return;
    if (dataset.move) (enabled(card.querySelector(`[data-move="${dataset.move}"]`)) ?? firstField(card)).focus();
    else if ("addCall" in dataset) [...card.querySelectorAll("[data-call=name]")].at(-1).focus();
    else if ("addReasoning" in dataset) card.querySelector("[data-key=reasoning_content]").focus();
    else firstField(card)?.focus();
  }

  #paintAgain(card) {
    const index = Number(card.dataset.index);
    this.#repaint(index);
    this.#card(index).querySelector("[data-key=role]").focus();
  }

  #repaint(index) {
    const { messages } = this.#draft;
    this.#card(index).replaceWith(this.#makeCard(messages[index], index, messages.length));
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}

function clone(id) {
  return document.getElementById(id).content.firstElementChild.cloneNode(true);
}

function enabled(button) {
  return button && !button.disabled ? button : null;
}

function firstField(card) {
  return card?.querySelector("textarea, select");
}

function setOrDrop(message, key, value) {
  if (value === undefined) delete message[key];
  else message[key] = value;
}

function fillFields(card, message, index) {
  const shown = {
    content: !Array.isArray(message.content),
    reasoning_content: message.reasoning_content !== undefined,
    tool_call_id: message.role === "tool",
    is_error: message.role === "tool",
  };
  for (const key of FIELDS) {
    const place = card.querySelector(`[data-part=${key}]`);
    place.hidden = !shown[key];
    if (!shown[key]) continue;
    const field = place.querySelector("[data-key]");
    if (field.type === "checkbox") field.checked = message[key] === true;
    else fillText(field, message[key]);
    field.id = `message-${index}-${key}`;
    const label = place.querySelector("label:not(:has(input))");
    if (label) label.htmlFor = field.id;
    else if (key === "content") field.setAttribute("aria-label", interpolate(gettext("Content of message %(number)s"), { number: index + 1 }));
  }
}

function fillText(field, value) {
  field.value = typeof value === "string" ? value : value === null || value === undefined ? "" : JSON.stringify(value);
  if (field.localName === "textarea") field.rows = Math.min(12, field.value.split("\n").length);
}

function fillParts(card, message) {
  if (!Array.isArray(message.content)) return;
  const parts = message.content.map((part, index) => {
    const place = clone("part-template");
    place.dataset.partIndex = index;
    const field = place.querySelector("textarea");
    const isText = part?.type === "text" && typeof part.text === "string";
    field.hidden = !isText;
    place.querySelector("[data-other]").hidden = isText;
    if (isText) {
      field.dataset.part = index;
      fillText(field, part.text);
    } else place.querySelector("[data-other] span").textContent = describePart(part ?? {});
    return place;
  });
  card.querySelector("[data-contents]").replaceChildren(...parts);
}

function fillCalls(card, message) {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  const places = calls.map((call, index) => {
    const place = clone("call-template");
    place.dataset.callIndex = index;
    fillText(place.querySelector("[data-call=name]"), call?.function?.name);
    fillText(place.querySelector("[data-call=id]"), call?.id);
    fillText(place.querySelector("[data-call=arguments]"), call?.function?.arguments);
    return place;
  });
  card.querySelector("[data-calls]").replaceChildren(...places);
}

function errorPlace(card, [member, at, ...rest]) {
  if (!card) return null;
  if (member === "tool_calls" && at !== undefined) return card.querySelector(`[data-call-index="${at}"] .errorlist`);
  if (member === "content" && at !== undefined) return card.querySelector(`[data-part-index="${at}"] .errorlist`);
  return rest.length ? null : card.querySelector(`.errorlist[data-place="${member ?? ""}"]`);
}
