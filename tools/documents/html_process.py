"""The program that reads an HTML page as Markdown; `reading` starts it.

Arguments: the kind, and limits with `url` (the page's address) as JSON. The page is on standard
input, in UTF-8. The answer is a JSON object on standard output: `{"title", "text", "links",
"asks_password", "is_cut"}`. A link in the text is `[words][L3]`, the third address of `links`.

One pass over the tags, without a tree: its time grows with the length of the page, however deep the
tags are nested. Scripts, navigation and what the page hides are left out. Where the page has a main
part, or articles, only those are read.

Runs as a file of its own (`python -I`), so it imports nothing of the product.
"""

import json
import re
import resource
import sys
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin, urlsplit

Attributes = list[tuple[str, str | None]]

NOT_TEXT = {
    *("script", "style", "template", "svg", "math", "noscript", "iframe", "object", "canvas"),
    *("select", "button", "datalist", "audio", "video"),
}
BESIDE = {"nav", "footer", "aside", "dialog"}
BESIDE_ROLES = {"navigation", "contentinfo", "search", "dialog", "alertdialog", "complementary"}
VOID = {
    *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param"),
    *("source", "track", "wbr"),
}
BLOCKS = {
    *("p", "div", "section", "article", "main", "header", "ul", "ol", "li", "dl", "dt", "dd"),
    *("blockquote", "figure", "figcaption", "form", "fieldset", "address", "details", "summary"),
    *("hr", "body", "html", "center", "table", "caption"),
}
HEADING = re.compile(r"h([1-6])")
HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source)-([\w+#.-]{1,20})")
ITEM = re.compile(r" *(?:-|\d+\.) ")
SPACE = re.compile(r"[ \t\r\n\f\v\u00a0]+")
LEVELS = 6
COLUMNS = 30
LINKS = 2_000
URL_LENGTH = 1_000
# Characters of a main part that is taken for the whole page.
ENOUGH = 200


class Full(Exception):
    """There is as much text as may be."""


class Skip:
    """What is left out: the tag that began it, and how deep the same tag is nested in it."""

    def __init__(self) -> None:
        self.tag = ""
        self._depth = 0

    def begin(self, tag: str) -> None:
        self.tag, self._depth = tag, 1

    def open(self, tag: str) -> None:
        self._depth += tag == self.tag

    def close(self, tag: str) -> None:
        self._depth -= tag == self.tag
        if not self._depth:
            self.tag = ""


class Page(HTMLParser):
    """Reads a page. With `reads_all` only what is no text is left out."""

    def __init__(self, url: str, most: int, *, reads_all: bool = False) -> None:
        super().__init__(convert_charrefs=True)
        self._base = url
        self._room = most
        self._reads_all = reads_all
        self._skip = Skip()
        # Texts with the region that they stand in: "main", "article" or "".
        self.blocks: list[tuple[str, str]] = []
        self.links: dict[str, int] = {}
        self.titles: dict[str, str] = {}
        self.asks_password = False
        self._regions = {"main": 0, "article": 0}
        self._inline: list[str] = []
        self._prefix = ""
        self._lists: list[list[Any]] = []  # tag and number of the last item
        self._quotes = 0
        self._code: list[str] | None = None
        self._language = ""
        self._link: tuple[str, int] | None = None  # address, and where its words begin
        self._tables = 0
        self._rows: list[list[str]] = []
        self._in_title = False

    # Tags

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        if self._skip.tag:
            self._skip.open(tag)
            self._see(tag, attrs)
            return
        named = dict(attrs)
        self._see(tag, attrs)
        if self._is_left_out(tag, named):
            if tag not in VOID:
                self._skip.begin(tag)
        elif self._code is not None:
            self._in_code(tag, named)
        else:
            self._begin(tag, named)

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        self._in_title = self._in_title and tag != "title"
        if self._skip.tag:
            self._skip.close(tag)
        elif self._code is not None:
            if tag in ("pre", "body"):
                self._end_code()
        else:
            self._end(tag)

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.titles["title"] = (self.titles.get("title", "") + data)[:1_000]
        elif self._code is not None and not self._skip.tag:
            self._code.append(data)
        elif not self._skip.tag:
            self._inline.append(data)

    def _see(self, tag: str, attrs: Attributes) -> None:
        """What counts wherever it stands."""
        if tag == "title" and "title" not in self.titles:
            self._in_title = True
        elif tag == "input":
            self.asks_password |= ("type", "password") in attrs
        elif tag == "meta":
            named = dict(attrs)
            if named.get("property") == "og:title":
                self.titles["og"] = named.get("content") or ""
        elif tag == "base":
            self._base = urljoin(self._base, dict(attrs).get("href") or "")

    def _is_left_out(self, tag: str, named: dict[str, str | None]) -> bool:
        if tag in NOT_TEXT:
            return True
        if tag in ("html", "body", "main", "article"):
            return False
        if "hidden" in named or named.get("aria-hidden") == "true":
            return True
        if HIDDEN_STYLE.search(named.get("style") or ""):
            return True
        return not self._reads_all and (tag in BESIDE or named.get("role") in BESIDE_ROLES)

    def _begin(self, tag: str, named: dict[str, str | None]) -> None:
        if tag in self._regions or named.get("role") == "main":
            self._flush()
            self._regions[tag if tag in self._regions else "main"] += 1
        if tag == "a":
            self._begin_link(named.get("href") or "")
        elif tag == "br":
            self._inline.append("\0")
        elif tag == "img":
            self._picture(named.get("alt") or "")
        elif tag == "code":
            self._inline.append("`")
        elif tag in ("td", "th"):
            self._begin_cell()
        elif tag == "tr":
            self._begin_row()
        elif tag == "pre":
            self._flush()
            self._code, self._language = [], _language(named)
        elif HEADING.fullmatch(tag):
            self._flush()
            self._prefix = "#" * int(tag[1]) + " "
        elif tag in BLOCKS:
            self._begin_block(tag)

    def _begin_block(self, tag: str) -> None:
        if tag == "table":
            self._tables += 1
            if self._tables > 1:
                return
        self._flush()
        if tag in ("ul", "ol"):
            self._lists.append([tag, 0])
        elif tag == "li":
            self._item()
        elif tag == "blockquote":
            self._quotes += 1
        elif tag == "dd":
            self._prefix = ": "

    def _end(self, tag: str) -> None:
        if tag == "a":
            self._end_link()
        elif tag == "code":
            self._inline.append("`")
        elif tag in ("td", "th") and self._tables:
            self._end_cell()
        elif tag == "table":
            self._end_table()
        elif tag in BLOCKS or HEADING.fullmatch(tag):
            self._flush()
            if tag in ("ul", "ol") and self._lists:
                self._lists.pop()
            elif tag == "blockquote":
                self._quotes = max(0, self._quotes - 1)
            elif tag in self._regions:
                self._regions[tag] = max(0, self._regions[tag] - 1)

    # Inline

    def _begin_link(self, href: str) -> None:
        self._end_link()
        try:
            url = urljoin(self._base, href.strip())
            parts = urlsplit(url)
        except ValueError:
            return
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
        if is_web and not href.strip().startswith("#") and len(url) <= URL_LENGTH:
            self._link = (url, len(self._inline))

    def _end_link(self) -> None:
        if self._link is None:
            return
        (url, start), self._link = self._link, None
        words = _line("".join(self._inline[start:]).replace("\0", " "))
        if not words or (url not in self.links and len(self.links) >= LINKS):
            return
        number = self.links.setdefault(url, len(self.links) + 1)
        self._inline[start:] = [f" [{words}][L{number}] "]

    def _picture(self, alt: str) -> None:
        if words := _line(alt)[:300]:
            self._inline.append(f" (image: {words}) ")

    # Blocks

    def _item(self) -> None:
        level = min(len(self._lists), LEVELS)
        mark = "- "
        if self._lists and self._lists[-1][0] == "ol":
            self._lists[-1][1] += 1
            mark = f"{self._lists[-1][1]}. "
        self._prefix = "  " * max(0, level - 1) + mark

    def _flush(self) -> None:
        """Ends the paragraph; within a table it goes on."""
        if self._tables:
            self._inline.append(" ")
            return
        self._end_link()
        lines = [_line(one) for one in "".join(self._inline).split("\0")]
        self._inline = []
        text = "\n".join(filter(None, lines))
        if text:
            self._add(self._prefix + text.replace("\n", "\n" + " " * len(self._prefix)))
            self._prefix = ""

    def _add(self, text: str) -> None:
        if self._quotes:
            text = "\n".join(f"> {line}" for line in text.split("\n"))
        region = next((name for name, depth in self._regions.items() if depth), "")
        self.blocks.append((region, text[: self._room]))
        self._room -= len(text)
        if self._room <= 0:
            raise Full

    def _in_code(self, tag: str, named: dict[str, str | None]) -> None:
        assert self._code is not None
        self._language = self._language or _language(named)
        if tag == "br":
            self._code.append("\n")

    def _end_code(self) -> None:
        code = "".join(self._code or ()).strip("\n")
        self._code = None
        if self._tables:
            self._inline.append(code)
        elif code.strip():
            self._add(f"```{self._language}\n{code}\n```")

    # Tables

    def _begin_row(self) -> None:
        if self._tables == 1:
            self._end_cell()
            self._rows.append([])

    def _begin_cell(self) -> None:
        if self._tables == 1:
            self._end_cell()
            self._inline = []
            self._rows = self._rows or [[]]
            self._rows[-1].append("")

    def _end_cell(self) -> None:
        if self._tables != 1:
            self._inline.append(" ")
            return
        self._end_link()
        text = _line("".join(self._inline).replace("\0", " "))
        self._inline = []
        if self._rows and self._rows[-1]:
            self._rows[-1][-1] = f"{self._rows[-1][-1]} {text}".strip()
        elif text:
            self._add(text)

    def _end_table(self) -> None:
        if self._tables > 1:
            self._tables -= 1
            return
        if not self._tables:
            return
        self._end_cell()
        rows, self._rows, self._tables = [row for row in self._rows if any(row)], [], 0
        if len(rows) > 1 and max(map(len, rows)) > 1:
            self._add(_table(rows))
        else:
            for row in rows:  # it only arranges the page
                self._add("\n\n".join(filter(None, row)))

    def end(self) -> None:
        self.close()
        if self._code is not None:
            self._end_code()
        if self._tables:
            self._tables = 1
            self._end_table()
        self._flush()


def _table(rows: list[list[str]]) -> str:
    width = min(max(map(len, rows)), COLUMNS)
    cells = [[cell.replace("|", "\\|") for cell in row[:width]] for row in rows]
    lines = ["| " + " | ".join([*row, *[""] * (width - len(row))]) + " |" for row in cells]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def _language(named: dict[str, str | None]) -> str:
    match = LANGUAGE.search(named.get("class") or "")
    return match[1] if match else ""


def _line(text: str) -> str:
    return SPACE.sub(" ", text).strip()


def _chosen(blocks: list[tuple[str, str]]) -> list[str]:
    """The blocks of the main part, or of the articles, where these are most of the page."""
    texts = [text for _, text in blocks]
    main = [text for region, text in blocks if region == "main"]
    if sum(map(len, main)) >= ENOUGH:
        return main
    articles = [text for region, text in blocks if region == "article"]
    length = sum(map(len, articles))
    return articles if length >= ENOUGH and length * 2 >= sum(map(len, texts)) else texts


def _joined(texts: list[str]) -> str:
    """Items of a list on lines of their own, paragraphs apart."""
    parts: list[str] = []
    for before, text in zip(["", *texts], texts, strict=False):
        is_item = ITEM.match(before) and ITEM.match(text)
        parts += ["\n" if is_item else "\n\n", text]
    return "".join(parts[1:])


def read(html: str, limits: dict[str, Any]) -> dict[str, Any]:
    answer = _read(html, limits, reads_all=False)
    if len(answer["text"]) < ENOUGH:
        # A page that is nothing but navigation, or a tag that is never closed.
        everything = _read(html, limits, reads_all=True)
        if len(everything["text"]) > 2 * len(answer["text"]):
            return everything
    return answer


def _read(html: str, limits: dict[str, Any], *, reads_all: bool) -> dict[str, Any]:
    page = Page(limits["url"], limits["text"], reads_all=reads_all)
    is_cut = False
    try:
        page.feed(html)
        page.end()
    except Full:
        is_cut = True
    titles = (page.titles.get("title"), page.titles.get("og"), _first_heading(page))
    return {
        "title": next(filter(None, map(_line, filter(None, titles))), "")[:300],
        "text": _joined(_chosen(page.blocks)),
        "links": list(page.links),
        "asks_password": page.asks_password,
        "is_cut": is_cut,
    }


def _first_heading(page: Page) -> str:
    return next((text[2:] for _, text in page.blocks if text.startswith("# ")), "")


def main() -> None:
    limits = json.loads(sys.argv[2])
    html = sys.stdin.buffer.read().decode(errors="replace").replace("\0", "")
    resource.setrlimit(resource.RLIMIT_CPU, (limits["cpu_s"], limits["cpu_s"] + 1))
    resource.setrlimit(resource.RLIMIT_AS, (limits["memory"], limits["memory"]))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    json.dump(read(html, limits), sys.stdout)


if __name__ == "__main__":
    main()
