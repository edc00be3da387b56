import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeDocument } from "./fake_document.js";
import { Tail } from "./tail.js";

// The HTML of a text that came in pieces of this length.
function shown(text, size = text.length || 1) {
  const root = fakeDocument.createElement("div");
  const tail = new Tail(fakeDocument, root);
  for (let at = 0; at < text.length; at += size) tail.feed(text.slice(at, at + size));
  return root.inner;
}

const TEXT = [
  "# Head", "", "A **bold** and *soft* `code` [link](https://e.example/a_b) text with a_b_c.",
  "It costs $5, and 2 * 3 * 4.", "", "- one", "- two **b**", "  1. inner", "  2. inner two", "",
  "| a | b |", "|---|--:|", "| 1 | `x` |", "| 2 | y |", "", "> quote", "> more", "",
  "> [!TIP]", "> words", "", "```python", "x = 1", "", "``y``", "```", "", "- [x] done", "- [ ] open",
  "", "$$", "a", "+ b", "$$", "", "text[^1] and ![alt](https://e.example/x.png)", "", "[^1]: note", "---", "",
].join("\n");

test("what is shown does not depend on how the text was cut", () => {
  for (const size of [1, 2, 3, 7, 50]) assert.equal(shown(`${TEXT}\n`, size), shown(`${TEXT}\n`));
});

test("a table grows as a table, without its bars", () => {
  assert.equal(
    shown("| Name | Age |\n|---|--:|\n| Han | 2"),
    '<div class="table-scroll"><table><thead><tr><th>Name</th><th class="align-right">Age</th></tr></thead>' +
      '<tbody><tr><td>Han</td><td class="align-right">2</td></tr></tbody></table></div>',
  );
});

test("no bar, fence or star is ever shown of a table, code or emphasis that arrives", () => {
  const text = "| a | **b** |\n|:-:|---|\n| c | `d` |\n\n```js\nlet x\n```\n\n**bold** *soft* ~~gone~~\n";
  for (let end = 1; end <= text.length; end += 1) {
    assert.doesNotMatch(shown(text.slice(0, end)).replace(/<[^>]*>/g, ""), /[|*`~]|--/);
  }
});

test("a table whose head has no bar before it is one from its second line on", () => {
  assert.match(shown("a | b\n--|--\n1 | 2\n"), /<th>a<\/th><th>b<\/th>.*<td>1<\/td><td>2<\/td>/);
});

test("a row with too many cells loses them, one with too few gets empty ones", () => {
  const html = shown("|a|b|\n|-|-|\n|1|2|3|\n|1|\n");
  assert.equal(html.match(/<td>/g).length, 4);
});

test("bars without the line of a table are text", () => {
  assert.equal(shown("| a |\nb\n"), "<p>| a |</p>".replace("</p>", "\nb</p>"));
});

test("code has its head at once, and its closing fence is not shown", () => {
  const head = "<figcaption><span>python</span></figcaption>";
  assert.ok(shown("```python\nx").includes(head));
  assert.ok(shown("```python\nx = `1`\n``").endsWith("x = `1`\n</span></code></pre></figure>"));
  assert.ok(shown("```python\nx\n```\nafter").endsWith("<p>after</p>"));
});

test("a list is one, with what is within its items", () => {
  assert.equal(
    shown("1. a\n   - b\n2. c\n\n   d"),
    "<ol><li>a<ul><li>b</li></ul></li><li>c<p>d</p></li></ol>",
  );
});

test("items go on with the list that is shown already", () => {
  const root = fakeDocument.createElement("div");
  const list = fakeDocument.createElement("ul");
  root.append(list);
  const tail = new Tail(fakeDocument, root, { list: { element: list, kind: "-" } });
  tail.feed("- c");
  assert.equal(root.inner, "<ul><li>c</li></ul>");
});

test("a line of bars or dashes waits until it is known what it is", () => {
  assert.equal(shown("--"), "");
  assert.equal(shown("---\n"), "<hr>");
  assert.equal(shown("- "), "");
  assert.equal(shown("12"), "");
  assert.equal(shown("12 eggs"), "<p>12 eggs</p>");
});

test("emphasis that never ends gives its marks back", () => {
  const html = shown(`*${"a ".repeat(600)}`);
  assert.ok(html.startsWith("<p>*a"));
});

test("a backtick that never ends gives itself back", () => {
  assert.ok(shown(`\`${"a ".repeat(600)}`).startsWith("<p>`a"));
});

test("marks within words and products are text", () => {
  assert.equal(shown("snake_case_name and 2 * 3 * 4\n"), "<p>snake_case_name and 2 * 3 * 4</p>");
});

test("prices are text, formulas are their source", () => {
  assert.equal(shown("from $5 to $6.\n"), "<p>from $5 to $6.</p>");
  assert.equal(shown("so $x_1 * y_1$ is\n"), '<p>so <span class="tex">x_1 * y_1</span> is</p>');
  assert.equal(shown("$$\na\n+ b\n$$\n"), '<p class="tex tex-block">\na\n+ b\n</p>');
});

test("a line of spaces that may be the marks below a head is read in linear time", () => {
  const spaces = " ".repeat(400_000);
  assert.ok(shown(`| a |\n|-${spaces}x\n`).startsWith("<p>| a |"));
  assert.ok(shown(`a | b\n-|-${spaces}x\n`).startsWith("<p>a | b"));
});

test("the line after a formula waits as any other does", () => {
  assert.equal(shown("$$\na\n$$\n--"), '<p class="tex tex-block">\na\n</p>');
});

test("headings stand below those of the page, without gaps", () => {
  assert.equal(shown("# A\n\n### B\n"), "<h3>A</h3><h4>B</h4>");
});

test("HTML is text", () => {
  assert.equal(shown("<b>x</b>\n"), "<p>&lt;b>x&lt;/b></p>");
});

test("a text of one line, or of openers, is read in linear time", () => {
  for (const piece of ["a", "[", "*a ", "`", "$", "![", "| ", "> ", "- ", "\\", "1. ", "~~a"]) {
    const root = fakeDocument.createElement("div");
    const tail = new Tail(fakeDocument, root);
    for (let count = 0; count < 20_000; count += 1) tail.feed(piece);
    tail.feed("\n");
    assert.ok(root.inner.length >= 0);
  }
});
