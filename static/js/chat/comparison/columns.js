// Answers side by side: the choice of one of them, Stop for each, and on a phone, where one is shown
// at a time, tabs and swiping.

import { gettext, interpolate } from "../../base/i18n.js";
import { toast } from "../../base/toast.js";
import { problemOf } from "../connection/server.js";
import { isOpen } from "../connection/turn_state.js";
import { statusOf } from "../page/status.js";

const SWIPE_PX = 60;
const STATES = { done: gettext("done"), failed: gettext("failed"), stopped: gettext("stopped") };

export class Columns {
  #parts;
  #thread;
  #touch = null;

  constructor(parts) {
    this.#parts = parts;
    this.#thread = parts.document.getElementById("thread");
    this.#thread.addEventListener("touchstart", (event) => this.#touched(event), { passive: true });
    this.#thread.addEventListener("touchend", (event) => this.#swiped(event), { passive: true });
    parts.session.addEventListener("branch", () => this.#gone());
  }

  press(button) {
    if (button.dataset.laneTab) this.#show(Number(button.dataset.laneTab));
    else if (button.dataset.stopLane) this.#parts.session.stop([button.dataset.stopLane]);
    else this.#choose(button);
  }

  // To the choice that has to be made.
  point() {
    const shown = [...this.#thread.querySelectorAll(":scope > [data-comparison] [data-choose]")];
    const button = shown.find((one) => one.checkVisibility());
    button?.focus();
    button?.scrollIntoView({ block: "center" });
  }

  // The states of the answers, on their tabs.
  draw() {
    const { session } = this.#parts;
    for (const lane of this.#lanes) {
      const tab = this.#tab(Number(lane.dataset.lane));
      if (!tab) continue;
      const turn = session.state.turns[lane.dataset.turn];
      const text = turn && isOpen(turn) ? statusOf(turn, performance.now()).text : this.#ended(lane);
      const place = tab.querySelector("[data-lane-state]");
      if (place.textContent !== text) place.textContent = text;
      const isPressed = String(Number(lane.dataset.lane) === this.#shownLane);
      if (tab.getAttribute("aria-pressed") !== isPressed) tab.setAttribute("aria-pressed", isPressed);
    }
  }

  get #lanes() {
    return [...this.#thread.children].filter((turn) => turn.hasAttribute("data-comparison"));
  }

  get #shownLane() {
    return Number(this.#thread.dataset.shownLane ?? 1);
  }

  #tab(number) {
    return this.#thread.querySelector(`[data-lane-tab="${number}"]`);
  }

  #ended(lane) {
    return STATES[lane.querySelector(":scope > .answer").dataset.state] ?? "";
  }

  #show(number) {
    this.#thread.dataset.shownLane = number;
    this.draw();
    this.#parts.follower.grew(false);
  }

  async #choose(button) {
    const { document, server } = this.#parts;
    if (button.disabled) return;
    button.disabled = true;
    try {
      await server.change(`${server.url("turn", button.dataset.choose)}choose`);
      this.#goOn(button);
    } catch (error) {
      toast(document, problemOf(error));
    } finally {
      button.disabled = false;
    }
  }

  // The next message is for the chosen model.
  #goOn(button) {
    const { announce, composer, hasKeyboard, model } = this.#parts;
    const name = button.closest("[data-lane]")?.querySelector(".lane-name .truncate")?.textContent ?? "";
    const { model: id } = button.dataset;
    const isOffered = [...(model?.options ?? [])].some((option) => option.value === id);
    if (isOffered && model.value !== id) {
      model.value = id;
      model.dispatchEvent(new Event("change"));
    }
    announce(interpolate(gettext("The conversation goes on with the answer of %(name)s."), { name: name.trim() }));
    if (hasKeyboard) composer.focus();
  }

  #gone() {
    if (this.#lanes.length === 0) delete this.#thread.dataset.shownLane;
  }

  // Swiping

  #touched({ touches }) {
    const [touch] = touches;
    this.#touch = touches.length === 1 ? { x: touch.clientX, y: touch.clientY } : null;
  }

  #swiped({ changedTouches, target }) {
    const [end] = changedTouches;
    const begin = this.#touch;
    this.#touch = null;
    const lane = target.closest?.("[data-lane]");
    if (!begin || !lane || this.#tab(1)?.checkVisibility() !== true) return;
    if (scrolls(target, lane)) return;
    const [x, y] = [end.clientX - begin.x, end.clientY - begin.y];
    if (Math.abs(x) < SWIPE_PX || Math.abs(y) > Math.abs(x) / 2) return;
    const isBackwards = x > 0 !== (getComputedStyle(lane).direction === "rtl");
    const next = this.#shownLane + (isBackwards ? -1 : 1);
    if (this.#tab(next)) this.#show(next);
  }
}

// Whether the finger is on what scrolls sideways itself: a wide table, or code.
function scrolls(target, lane) {
  for (let element = target; element && element !== lane; element = element.parentElement) {
    if (element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== "visible") return true;
  }
  return false;
}
