"""Reads `<think>…</think>` at the start of a content as reasoning.

Where the prompt has opened the tag already, only `</think>` comes: then all text before it was
reasoning, and what was shown of it as content is taken back. A `<think>` further on is text, and so
is the `</think>` that belongs to it.
"""

import re
from collections.abc import Callable, Sequence

from chat.llm.dialects.shown import Piece, Shown, Trim

THINK = "<think>"
THINK_END = "</think>"


class Thinking:
    """Reads a content piece by piece, in linear time; shows what it can as soon as it can.

    With `trims` the content is shown without its outer whitespace.
    """

    tags: tuple[str, ...] = (THINK, THINK_END)
    trims = False

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self._pattern = re.compile("|".join(self.tags))
        # `_text` from `_at` on is not read yet; `_text` begins at character `_base` of the content.
        self._text = ""
        self._at = 0
        self._base = 0
        self._step: Callable[[], bool] = self._read_text
        self._content = Trim(start=self.trims, end=self.trims)
        self._thought = Trim(start=True, end=True)
        self._blank = True  # nothing but whitespace and reasoning yet: a <think> is at the start
        self.reasoned = False  # there was reasoning already, here or in a field of its own
        self._mentions = 0  # of <think> in the text

    def feed(self, text: str) -> None:
        """Takes more of the content."""
        self._base += self._at
        self._text = self._text[self._at :] + text
        self._at = 0
        if "<" not in self._text and self._step == self._read_text:
            self._say(len(self._text))  # as almost always: no tag, nor a part of one
        else:
            self._run()

    def finish(self) -> None:
        """Shows what was held back only because more could have come."""
        if self._step == self._read_thought:
            self._think(len(self._text))
        else:
            self._say(len(self._text))
        self._shown.add("content", self._content.rest())

    def _run(self) -> None:
        while self._step():
            pass

    def _read_text(self) -> bool:
        """Up to the next tag; False when more is needed."""
        tag = self._pattern.search(self._text, self._at)
        if tag is None:
            self._say(partial(self._text, self._at, self.tags))
            return False
        self._say(tag.start())
        self._meet(tag[0])
        return True

    def _meet(self, tag: str) -> None:
        """A tag stands at `_at`."""
        if tag == THINK and self._blank:
            self._begin_thought()
        elif tag == THINK:
            self._mentions += 1
            self._say(self._at + len(tag))
        elif self._mentions:
            self._mentions -= 1
            self._say(self._at + len(tag))
        elif self._may_end_thought():
            self._at += len(tag)
            self._call_it_reasoning()
        else:
            self._meet_stray_end()

    def _may_end_thought(self) -> bool:
        """Whether a `</think>` without a beginning says that the text before it was reasoning."""
        return not self.reasoned

    def _meet_stray_end(self) -> None:
        self._say(self._at + len(THINK_END))

    def _begin_thought(self) -> None:
        self._at += len(THINK)
        self._thought = Trim(start=True, end=True)
        self._content = Trim(start=True, end=self.trims)
        self.reasoned = True
        self._shown.reason_anew()
        self._step = self._read_thought

    def _read_thought(self) -> bool:
        """Up to the end of the reasoning; nothing in it means anything."""
        end = self._text.find(THINK_END, self._at)
        if end < 0:
            self._think(partial(self._text, self._at, (THINK_END,)))
            return False
        self._think(end)
        self._at += len(THINK_END)
        self._step = self._read_text
        return True

    def _call_it_reasoning(self) -> None:
        for piece in self._shown.withdraw_content():
            self._shown.add("reasoning", self._thought.add(piece))
        self._content = Trim(start=True, end=self.trims)
        self.reasoned = True

    def _say(self, end: int) -> None:
        if piece := self._piece(end):
            self._blank = self._blank and piece.text.isspace()
            self._shown.add("content", self._content.add(piece))

    def _think(self, end: int) -> None:
        if piece := self._piece(end):
            self._shown.add("reasoning", self._thought.add(piece))

    def _piece(self, end: int) -> Piece | None:
        """What is to be read before `end`, which is then read."""
        start, self._at = self._at, end
        return Piece("content", self._base + start, self._text[start:end]) if start < end else None


def partial(text: str, at: int, tags: Sequence[str]) -> int:
    """Where a tag begins that the end of the text cuts; the text's length if none does."""
    start = text.rfind("<", at)
    if start >= 0 and any(tag.startswith(text[start:]) for tag in tags):
        return start
    return len(text)
