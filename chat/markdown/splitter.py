"""Markdown block by block, as it arrives."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.utils.safestring import SafeString, mark_safe

from chat.markdown.citations import Citations
from chat.markdown.lines import Cut, LineScanner
from chat.markdown.syntax import to_html
from limits.files import MAX_REMEMBERED_MARKDOWN


@dataclass(frozen=True)
class Block:
    """The code units (UTF-16) from `start` to `end` look like `html`, which is sanitised.

    A list arrives item by item: HTML that begins with `<ul class="continued">` or `<ol …>` goes on
    with the list that the block before ended with.
    """

    index: int
    start: int
    end: int
    html: str


class BlockSplitter:
    """Feeds on deltas, gives the blocks that are final. Equal texts give equal blocks, however
    they were cut into deltas; together the blocks cover the text, but for blank lines at its
    end, without gaps. `citations` are the sources that the text may cite.
    """

    def __init__(
        self,
        to_html: Callable[[str, dict[str, Any]], str] = to_html,
        citations: Citations = (),
    ) -> None:
        self._to_html = to_html
        self._scanner = LineScanner()
        self._env: dict[str, Any] = {"citations": {one.number: one for one in citations}}
        self._lines: list[str] = []
        self._line: list[str] = []
        self._index = 0
        self._start = 0
        # The list that the next block goes on with: "ul", "ol" or "".
        self._open_list = ""

    def feed(self, delta: str) -> list[Block]:
        """The blocks that this delta completed: all top-level blocks but the last."""
        blocks: list[Block] = []
        *ends, rest = delta.split("\n")
        for end in ends:
            self._line.append(end)
            blocks += self._complete("".join(self._line) + "\n")
            self._line = []
        if rest:
            self._line.append(rest)
        return blocks

    def finish(self) -> list[Block]:
        """What is left when the text is over."""
        blocks = self._complete("".join(self._line)) if self._line else []
        self._line = []
        return blocks + self._emit(continues=False)

    def _complete(self, line: str) -> list[Block]:
        cut = self._scanner.read(line.rstrip("\r\n"))
        before = cut in (Cut.BEFORE, Cut.BEFORE_ITEM)
        blocks = self._emit(continues=cut is Cut.BEFORE_ITEM) if before else []
        self._lines.append(line)
        return blocks + self._emit(continues=False) if cut is Cut.AFTER else blocks

    def _emit(self, *, continues: bool) -> list[Block]:
        """The lines so far as one block. `continues`: the next one goes on with its list."""
        text = "".join(self._lines)
        if not text.strip():
            return []
        html = self._to_html(text, self._env)
        if self._open_list and html.startswith(f"<{self._open_list}"):
            html = _continued(html)
        block = Block(self._index, self._start, self._start + _units(text), html)
        self._lines, self._index, self._start = [], self._index + 1, block.end
        self._open_list = html.rstrip()[-3:-1] if continues and html.endswith("l>\n") else ""
        return [block]


def render(text: str, citations: Citations = ()) -> SafeString:
    """The whole text as sanitised HTML, the same that its blocks show one by one."""
    is_short = len(text) <= MAX_REMEMBERED_MARKDOWN
    return _remembered(text, citations) if is_short else _render(text, citations)


def _render(text: str, citations: Citations) -> SafeString:
    splitter = BlockSplitter(citations=citations)
    html = "".join(block.html for block in [*splitter.feed(text), *splitter.finish()])
    for tag in ("ul", "ol"):
        # Markdown's own `<` are escaped, so that only joints between our lists look like this.
        html = html.replace(f'</{tag}>\n<{tag} class="continued">', "")
    return mark_safe(html)


_remembered = lru_cache(maxsize=512)(_render)


def _continued(html: str) -> str:
    """Marks the list at the beginning; its number is that of the item, which no longer matters."""
    tag = html[1:3]
    _, _, rest = html.partition(">")
    return f'<{tag} class="continued">{rest}'


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
