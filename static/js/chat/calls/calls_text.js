// The running text of tool calls that a model writes: segments `RS number US name US arguments`.
// See docs/protocol.md, `delta`. Knows no DOM.

const SEGMENT = /\x1e(\d+)\x1f([^\x1f]*)\x1f([^\x1e]*)/g;
const DROPPED = "\x18";
const ESCAPED = /\\(?:u[0-9a-fA-F]{4}|[^u])/g;
const MEANT = { n: "\n", t: "\t", r: "", '"': '"', "/": "/", "\\": "\\" };

// Reads a text that only grows; each part of it once.
export class CallsReader {
  #length = 0;
  #number = null;
  #name = "";

  // What is new in `text`: [{ number, name, text, dropped }], in the order in which it was written.
  read(text) {
    const fresh = text.slice(this.#length);
    this.#length = text.length;
    const begins = fresh.indexOf("\x1e");
    const rest = begins < 0 ? fresh : fresh.slice(0, begins);
    const news = rest && this.#number !== null ? [this.#news(rest)] : [];
    for (const [, number, name, written] of fresh.matchAll(SEGMENT)) {
      this.#number = Number(number);
      this.#name = name;
      news.push(this.#news(written));
    }
    return news;
  }

  #news(text) {
    return { number: this.#number, name: this.#name, text, dropped: this.#name === DROPPED };
  }
}

// JSON text for the eye: lines of a string as lines. What is cut in the middle of an escape waits.
export class Unescaper {
  #held = "";

  read(text) {
    const whole = this.#held + text;
    const end = cutAt(whole);
    this.#held = whole.slice(end);
    return whole.slice(0, end).replace(ESCAPED, meant);
  }
}

function cutAt(text) {
  const last = /(?:^|[^\\])(?:\\\\)*(\\(?:u[0-9a-fA-F]{0,3})?)$/.exec(text.slice(-16));
  return last ? text.length - last[1].length : text.length;
}

function meant(escape) {
  if (escape[1] === "u") return String.fromCharCode(parseInt(escape.slice(2), 16));
  return MEANT[escape[1]] ?? escape;
}
