// The Markdown blocks of a text that is still arriving, line by line, as the elements that
// chat/markdown makes of it in the end. What a line is, is decided when its first letters have come.
//
// `begin` takes the beginning of a line and gives who takes the rest: { push(text), end() }.

import { columns, cut, TAB, unquoted } from "./indents.js";
import { InlineText } from "./inline.js";
import { Code, Formula, isDelimiter, NOTHING, Table } from "./leaves.js";

const MAX_DEPTH = 8;
const FENCE = /^(`{3,})([^`]*)$|^(~{3,})(.*)$/;
const ITEM = /^([-+*]|\d{1,9}[.)])(?:([ \t]+)|$)/;
const BREAK = /^([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const HEADING = /^(#{1,6})(?:[ \t]+|$)/;
const UNDERLINE = /^(?:=+|-+)[ \t]*$/;
const CALLOUT = /^\[!(note|tip|important|warning|caution)\][ \t]*(.*)$/i;
const FOOTNOTE = /^\[\^(\w{1,32})\]:[ \t]*/;
const DEFINITION = /^\[[^\]]+\]:[ \t]*\S+/;
const TASK = /^\[([ xX])\][ \t]+/;
// What may become a block, or none: the next letters tell.
const OPEN =
  /^(?:#{1,6}|[-+*]|[-*_=][-*_= \t]*|\d{1,9}[.)]?|`{1,2}|`{3,}[^`]*|~{1,2}|~{3,}.*|\|[-:| \t]*|:?-[-:| \t]*|\[(?:[ xX]?\]?|!\w*\]?.*|\^\w{0,32}\]?:?)|\$\$?|\\)[ \t]*$/;
const MARKER = /^(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))[ \t]*/;

export class Blocks {
  #document;
  #element;
  #depth;
  #levels;
  #isTight;
  #list = null; // { element, kind, content, item: Blocks, isAfterBlank }
  #quote = null;
  #leaf = null; // Code, Formula or Table
  #paragraph = null; // { element, inline, source: its last line }

  // `levels`: of the headings before. `list`: { element, kind } of the list that may go on.
  constructor(document, element, { depth = 0, levels = [], list = null, isTight = false } = {}) {
    this.#document = document;
    this.#element = element;
    this.#depth = depth;
    this.#levels = levels;
    this.#isTight = isTight;
    if (list) this.#list = { ...list, content: Infinity, item: null, isAfterBlank: false };
  }

  // Whether the line has to be longer to say what it is.
  waits(line) {
    const text = line.trimStart();
    if (this.#leaf instanceof Code) return this.#leaf.waits(text);
    if (this.#leaf instanceof Formula && !this.#leaf.isOver) return false;
    if (text === "") return true;
    const indent = columns(line);
    if (this.#list && indent >= this.#list.content) return this.#list.item.waits(cut(line, this.#list.content));
    if (this.#quote && text[0] === ">") return this.#quote.waits(unquoted(text));
    return isOpen(text);
  }

  begin(line) {
    const indent = columns(line);
    const text = line.trimStart();
    if (this.#leaf instanceof Code) return this.#inCode(line, text);
    if (this.#leaf instanceof Formula && !this.#leaf.isOver) return this.#take(this.#leaf, line);
    if (text === "") return this.#blank();
    const list = this.#list;
    if (list && indent >= list.content) return list.item.begin(cut(line, list.content));
    const item = indent < TAB && !BREAK.test(text) ? ITEM.exec(text) : null;
    if (list && item && kindOf(item) === list.kind) return this.#addItem(item, indent, text);
    if (this.#quote && text[0] === ">") return this.#quote.begin(unquoted(text));
    if (this.#isLazy(text, item)) return (list?.item ?? this.#quote).begin(text);
    return this.#start(line, text, indent, item);
  }

  // A line of plain text goes on with the paragraph of the list or quote before it.
  #isLazy(text, item) {
    if (!this.hasParagraph || this.#paragraph) return false;
    return !item && !/^(?:#{1,6}[ \t]|>|`{3}|~{3}|\|)/.test(text) && !BREAK.test(text);
  }

  get hasParagraph() {
    if (this.#paragraph) return true;
    if (this.#list?.isAfterBlank) return false;
    return Boolean((this.#list?.item ?? this.#quote)?.hasParagraph);
  }

  #start(line, text, indent, item) {
    if (indent >= TAB && !this.#paragraph) return this.#beginCode(line, null, "");
    if (this.#leaf instanceof Table) return this.#inTable(text);
    const fence = FENCE.exec(text);
    if (fence) return this.#fence(fence);
    const heading = HEADING.exec(text);
    if (heading) return this.#heading(heading, text);
    if (this.#paragraph && UNDERLINE.test(text)) return this.#underline(text);
    if (BREAK.test(text)) return this.#break();
    if (text[0] === ">" && this.#depth < MAX_DEPTH) return this.#beginQuote(unquoted(text));
    if (item && this.#depth < MAX_DEPTH && this.#mayInterrupt(item, text)) return this.#addItem(item, indent, text);
    return this.#formula(text) ?? this.#table(text) ?? this.#text(text);
  }

  #mayInterrupt(item, text) {
    if (!this.#paragraph) return true;
    return item[0].length < text.length && (!/\d/.test(item[1]) || /^1[.)]/.test(item[1]));
  }

  #blank() {
    this.#endParagraph();
    this.#quote = null;
    if (this.#leaf instanceof Table) this.#leaf = null;
    if (this.#list) {
      this.#list.isAfterBlank = true;
      this.#list.item?.begin("");
    }
    return NOTHING;
  }

  // Code

  #fence(match) {
    const info = (match[2] ?? match[4] ?? "").trim();
    this.#beginCode("", match[1] ?? match[3], info.split(/\s+/)[0]);
    return NOTHING;
  }

  #beginCode(line, fence, language) {
    this.#close();
    this.#leaf = new Code(this.#document, this.#element, fence, language);
    this.#added(this.#leaf.element, false);
    return fence === null ? this.#take(this.#leaf, cut(line, TAB)) : NOTHING;
  }

  #inCode(line, text) {
    if (this.#leaf.closes(text)) {
      this.#leaf = null;
      return NOTHING;
    }
    if (this.#leaf.fence !== null) return this.#take(this.#leaf, line);
    if (text === "" || columns(line) >= TAB) return this.#take(this.#leaf, cut(line, TAB));
    this.#leaf = null;
    return this.begin(line);
  }

  #take(leaf, text) {
    leaf.push(text);
    return leaf;
  }

  // Formulas and tables

  #formula(text) {
    const opener = ["$$", "\\["].find((mark) => text.startsWith(mark));
    const closer = opener === "$$" ? "$$" : "\\]";
    if (!opener || text.includes(closer, 2)) return null;
    this.#close();
    this.#leaf = new Formula(this.#document, this.#element, closer);
    this.#added(this.#leaf.element);
    return this.#take(this.#leaf, text.slice(2));
  }

  #table(text) {
    if (this.#paragraph && isDelimiter(text) && this.#paragraph.source.includes("|")) {
      const { element, source, isOneLine } = this.#paragraph;
      if (!isOneLine) return null;
      this.#paragraph = null;
      element.remove();
      this.#beginTable(source).end();
      return this.#leaf.begin(text);
    }
    return text[0] === "|" ? this.#beginTable(text) : null;
  }

  #beginTable(text) {
    this.#close();
    this.#leaf = new Table(this.#document, this.#element);
    this.#added(this.#leaf.element, false);
    return this.#leaf.begin(text);
  }

  // A head without the marks below it is text.
  #inTable(text) {
    const table = this.#leaf;
    const row = table.begin(text);
    if (row) return row;
    table.element.remove();
    this.#leaf = null;
    this.#text(`|${table.source}`).end();
    return this.#text(text);
  }

  // Headings, breaks

  #heading(match, text) {
    this.#close();
    const element = this.#add(this.#headingTag(match[1].length));
    const rest = text.slice(match[0].length);
    const inline = new InlineText(this.#document, element);
    inline.push(rest);
    return { push: (more) => inline.push(more), end: () => inline.finish() };
  }

  #underline(text) {
    const { element, inline } = this.#paragraph;
    inline.finish();
    const heading = this.#document.createElement(this.#headingTag(text[0] === "=" ? 1 : 2));
    heading.append(...element.childNodes);
    element.replaceWith(heading);
    this.#added(heading);
    this.#paragraph = null;
    return NOTHING;
  }

  #headingTag(level) {
    return `h${Math.min(6, 2 + noteHeading(this.#levels, level))}`;
  }

  #break() {
    this.#close();
    const element = this.#document.createElement("hr");
    this.#element.append(element);
    this.#added(element, false);
    return NOTHING;
  }

  // Quotes, lists

  #beginQuote(text) {
    this.#close();
    const callout = CALLOUT.exec(text);
    const element = this.#add(callout ? "div" : "blockquote");
    if (callout) this.#title(element, callout);
    this.#quote = new Blocks(this.#document, element, { depth: this.#depth + 1, levels: this.#levels });
    return callout ? NOTHING : this.#quote.begin(text);
  }

  #title(element, [, kind, words]) {
    const name = kind.toLowerCase();
    element.className = `callout callout-${name}`;
    const title = this.#document.createElement("p");
    title.className = "callout-title";
    const named = this.#document.createElement("callout-name");
    named.className = name;
    title.append(named);
    if (words) title.append(this.#document.createTextNode(` ${words}`));
    element.append(title);
  }

  #addItem(match, indent, text) {
    const kind = kindOf(match);
    if (this.#list?.kind !== kind) this.#beginList(kind, match[1]);
    this.#endParagraph();
    const space = match[2] ? columns(match[2]) : 0;
    const content = indent + match[1].length + (space >= 1 && space <= TAB ? space : 1);
    const element = this.#document.createElement("li");
    this.#list.element.append(element);
    const rest = this.#task(element, text.slice(match[0].length));
    const item = new Blocks(this.#document, element, {
      depth: this.#depth + 1,
      levels: this.#levels,
      isTight: true,
    });
    Object.assign(this.#list, { content, item, isAfterBlank: false });
    return item.begin(rest);
  }

  #beginList(kind, marker) {
    this.#close();
    const isOrdered = kind === "." || kind === ")";
    const element = this.#add(isOrdered ? "ol" : "ul");
    const number = Number.parseInt(marker, 10);
    if (isOrdered && number !== 1) element.setAttribute("start", String(number));
    this.#list = { element, kind };
  }

  #task(element, text) {
    const task = TASK.exec(text);
    if (!task) return text;
    element.className = "task";
    const box = this.#document.createElement("span");
    box.className = "task-box";
    box.append(this.#document.createTextNode(task[1] === " " ? "☐" : "☑"));
    element.append(box, this.#document.createTextNode(" "));
    return text.slice(task[0].length);
  }

  // Text

  #text(text) {
    if (this.#paragraph) {
      this.#paragraph.inline.push("\n");
      this.#paragraph.isOneLine = false;
    } else {
      this.#close();
      if (DEFINITION.test(text) && !text.startsWith("[^")) return NOTHING;
      this.#paragraph = this.#beginParagraph(text);
    }
    const paragraph = this.#paragraph;
    const shown = paragraph.isNote ? text.replace(FOOTNOTE, "") : text;
    paragraph.isNote = false;
    paragraph.source = "";
    const push = (more) => {
      if (paragraph.isOneLine) paragraph.source += more;
      paragraph.inline.push(more);
    };
    push(shown);
    return { push, end() {} };
  }

  #beginParagraph(text) {
    const note = FOOTNOTE.exec(text);
    if (!note && this.#isTight && this.#isFirst) {
      this.#isFirst = false;
      return this.#paragraphIn(this.#element);
    }
    const element = this.#add(note ? "div" : "p");
    if (!note) return this.#paragraphIn(element);
    element.className = "footnote";
    const mark = this.#document.createElement("sup");
    mark.append(this.#document.createTextNode(note[1]));
    element.append(mark, this.#document.createTextNode(" "));
    return { ...this.#paragraphIn(element), isNote: true };
  }

  #isFirst = true;

  #paragraphIn(element) {
    return { element, inline: new InlineText(this.#document, element), source: "", isOneLine: true };
  }

  #endParagraph() {
    this.#paragraph?.inline.finish();
    this.#paragraph = null;
  }

  #close() {
    this.#endParagraph();
    this.#list = this.#quote = this.#leaf = null;
  }

  #add(tag) {
    const element = this.#document.createElement(tag);
    this.#element.append(element);
    this.#added(element);
    return element;
  }

  // A block that stands in no other has the direction of its text.
  #added(element, hasDirection = true) {
    this.#isFirst = false;
    if (this.#depth > 0) return;
    element.setAttribute("data-tail", "");
    if (hasDirection) element.setAttribute("dir", "auto");
  }
}

// Adds a heading to those that it may stand under, by their levels; how many these are then.
export function noteHeading(levels, level) {
  while (levels.length > 0 && levels.at(-1) >= level) levels.pop();
  levels.push(level);
  return levels.length;
}

function kindOf([, marker]) {
  return marker.at(-1);
}

// The kind of the list that a block's source begins with, or null.
export function listKind(source) {
  const text = source.trimStart();
  const item = BREAK.test(text.split("\n", 1)[0]) ? null : ITEM.exec(text);
  return item ? kindOf(item) : null;
}

function isOpen(text) {
  let rest = text;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    if (rest === "" || OPEN.test(rest)) return true;
    const marker = MARKER.exec(rest);
    if (!marker) return false;
    rest = rest.slice(marker[0].length);
  }
  return false;
}
