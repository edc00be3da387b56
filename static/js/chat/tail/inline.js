// Inline Markdown that is still arriving, as elements: emphasis and code look so from their first
// letter, and a mark whose meaning is open is held back. What turns out to be none gets its marks
// back. Every character is looked at once, but for what is held back, which is short.

const SPECIAL = /[\\`*_~[!$\n]/g;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const LABEL = /^\[([^[\]\n]*)\]/;
const IMAGE = /^!\[([^\]\n]*)\]\(([^)\n]*)\)/;
// Characters that may wait for a decision, and that may be in what has no end yet.
const MAX_HELD = 300;
const MAX_OPEN = 1000;
// A construct was given up: what comes is read as text.
const AGAIN = -1;
const TAGS = { 1: "em", 2: "strong" };

export class InlineText {
  #document;
  #element;
  #node = null;
  #held = "";
  #before = " ";
  #written = 0;
  #open = []; // emphasis: { element, marker, start }, the outermost first
  #raw = null; // code, a formula or the target of a link: { element, marker, closer, start, … }

  constructor(document, element) {
    this.#document = document;
    this.#element = element;
  }

  push(text) {
    this.#read(this.#held + text, false);
  }

  // No more text comes: what is held back is shown as it is.
  finish() {
    this.#read(this.#held, true);
  }

  #read(text, isOver) {
    let at = 0;
    while (at < text.length) {
      const used = this.#raw ? this.#inRaw(text, at, isOver) : this.#next(text, at, isOver);
      if (used === 0) break;
      if (used !== AGAIN) at += used;
    }
    this.#held = text.slice(at);
    if (this.#held.length <= MAX_HELD) return;
    this.#text(this.#held);
    this.#held = "";
  }

  // How many characters were used: 0 while it is open what the next ones mean.
  #next(text, at, isOver) {
    SPECIAL.lastIndex = at;
    const place = SPECIAL.exec(text)?.index ?? text.length;
    if (place > at) return this.#text(text.slice(at, place));
    const isLast = at + 1 === text.length;
    const mark = text[at];
    if (mark === "\n") return this.#text("\n");
    if (isLast) return isOver ? this.#text(mark) : 0;
    if (mark === "\\") return this.#escape(text[at + 1]);
    if (mark === "$") return this.#dollar(text, at);
    if (mark === "!") return this.#image(text, at, isOver);
    if (mark === "[") return this.#link(text, at, isOver);
    return this.#run(text, at, isOver);
  }

  #escape(next) {
    if (next === "(" || next === "[") {
      this.#beginRaw("span", `\\${next}`, next === "(" ? "\\)" : "\\]").className = "tex";
    } else if (PUNCTUATION.test(next)) {
      this.#text(next);
    } else {
      return this.#text("\\");
    }
    return 2;
  }

  // A price is no formula.
  #dollar(text, at) {
    if (text[at + 1] === "$") {
      this.#beginRaw("span", "$$", "$$").className = "tex";
      return 2;
    }
    if (/[\s\d]/.test(text[at + 1])) return this.#text("$");
    this.#beginRaw("span", "$", "$", { isOneLine: true }).className = "tex";
    return 1;
  }

  #image(text, at, isOver) {
    if (text[at + 1] !== "[") return this.#text("!");
    const image = IMAGE.exec(text.slice(at, at + MAX_HELD));
    if (!image) return this.#isHeld(text, at, isOver) ? 0 : this.#text("!");
    const element = this.#add("span");
    element.className = "image-link";
    element.append(this.#document.createTextNode(image[1] || "image"));
    return image[0].length;
  }

  #link(text, at, isOver) {
    const label = LABEL.exec(text.slice(at, at + MAX_HELD));
    if (!label) return this.#isHeld(text, at, isOver) ? 0 : this.#text("[");
    const after = text[at + label[0].length];
    if (after === undefined && !isOver) return 0;
    if (/^\^\w+$/.test(label[1])) return this.#footnote(label);
    if (after !== "(") return this.#text("[");
    const element = this.#add("a");
    const inner = new InlineText(this.#document, element);
    inner.push(label[1]);
    inner.finish();
    this.#raw = { element: null, marker: "", closer: ")", start: this.#written };
    return label[0].length + 1;
  }

  #footnote(label) {
    const element = this.#add("sup");
    element.append(this.#document.createTextNode(label[1].slice(1)));
    return label[0].length;
  }

  // Whether a bracket may still become something: it is on one line, and short.
  #isHeld(text, at, isOver) {
    const rest = text.slice(at + 1, at + MAX_HELD);
    const isOpen = !rest.includes("\n") && !/[[\]]/.test(rest.replace(/^\[/, ""));
    const isTarget = /^\[[^\]\n]*\](\([^)\n]*)?$/.test(rest);
    return !isOver && text.length - at < MAX_HELD && (isOpen || isTarget);
  }

  // Runs of one mark: emphasis, crossed out, code.
  #run(text, at, isOver) {
    const mark = text[at];
    let end = at;
    while (text[end] === mark) end += 1;
    if (end === text.length && !isOver) return 0;
    const length = end - at;
    if (mark === "`") this.#beginRaw("code", text.slice(at, end), text.slice(at, end));
    else if (mark === "~" && length !== 2) this.#text(text.slice(at, end));
    else this.#emphasis(mark, length, text[end] ?? " ");
    return length;
  }

  #emphasis(mark, length, after) {
    const before = this.#before;
    const isInWord = mark === "_" && /\w/.test(before) && /\w/.test(after);
    const closes = !/\s/.test(before) && !isInWord;
    const opens = !/\s/.test(after) && !(mark === "_" && /\w/.test(before));
    let left = length;
    while (closes && left > 0 && this.#close(mark, left)) left -= this.#closed;
    while (opens && left > 0 && length <= 3) left -= this.#begin(mark, Math.min(left, 2));
    if (left > 0) this.#text(mark.repeat(left));
    this.#before = mark;
  }

  #closed = 0;

  #close(mark, most) {
    const place = this.#open.findLastIndex(
      ({ marker }) => marker[0] === mark && marker.length <= most,
    );
    if (place < 0) return false;
    this.#closed = this.#open[place].marker.length;
    this.#open.length = place;
    this.#node = null;
    return true;
  }

  #begin(mark, length) {
    const element = this.#add(mark === "~" ? "s" : TAGS[length]);
    this.#open.push({ element, marker: mark.repeat(length), start: this.#written });
    return length;
  }

  #beginRaw(tag, marker, closer, more = {}) {
    const element = this.#add(tag);
    this.#raw = { element, marker, closer, start: this.#written, ...more };
    return element;
  }

  #inRaw(text, at, isOver) {
    const { closer, isOneLine } = this.#raw;
    const line = isOneLine ? text.indexOf("\n", at) : -1;
    const place = this.#closerIn(text, at, isOver);
    if (line >= 0 && (place < 0 || line < place)) return this.#giveUp();
    if (place >= 0) return this.#endRaw(text.slice(at, place)) + closer.length;
    const isWritten = this.#rawText(isOver ? text.slice(at) : safePart(text.slice(at), closer));
    if (this.#raw && this.#written - this.#raw.start > MAX_OPEN) this.#giveUp();
    return isWritten;
  }

  // Where the closer begins. Code ends at a run of just as many backticks.
  #closerIn(text, at, isOver) {
    const { closer } = this.#raw;
    if (closer[0] !== "`") return text.indexOf(closer, at);
    for (const run of text.slice(at).matchAll(/`+/g)) {
      const isComplete = isOver || at + run.index + run[0].length < text.length;
      if (run[0] === closer && isComplete) return at + run.index;
    }
    return -1;
  }

  // The target of a link is not shown.
  #rawText(text) {
    const { element } = this.#raw;
    if (element === null) this.#written += text.length;
    else this.#text(text, element);
    return text.length;
  }

  #endRaw(text) {
    this.#rawText(text);
    this.#raw = null;
    this.#node = null;
    this.#before = "x";
    return text.length;
  }

  // It was none: its mark comes back, and its text is read no more.
  #giveUp() {
    const { element, marker } = this.#raw;
    if (element) unwrap(this.#document, element, marker);
    this.#raw = null;
    this.#node = null;
    return AGAIN;
  }

  #text(text, element = this.#top) {
    if (text === "") return 0;
    if (this.#node === null) {
      this.#node = this.#document.createTextNode(text);
      element.append(this.#node);
    } else {
      this.#node.appendData(text);
    }
    this.#written += text.length;
    this.#before = text.at(-1);
    if (this.#open.length > 0 && this.#written - this.#open[0].start > MAX_OPEN) this.#release();
    return text.length;
  }

  // Emphasis that has no end for too long was none.
  #release() {
    const { element, marker } = this.#open.shift();
    unwrap(this.#document, element, marker);
    this.#node = null;
  }

  #add(tag) {
    const element = this.#document.createElement(tag);
    this.#top.append(element);
    this.#node = null;
    return element;
  }

  get #top() {
    return this.#open.at(-1)?.element ?? this.#element;
  }
}

function unwrap(document, element, marker) {
  element.replaceWith(document.createTextNode(marker), ...element.childNodes);
}

// What cannot belong to a closer whose rest has not come.
function safePart(text, closer) {
  let held = 0;
  if (closer[0] === "`") held = /`*$/.exec(text)[0].length;
  else if (closer.length > 1 && text.at(-1) === closer[0]) held = 1;
  return text.slice(0, text.length - held);
}
