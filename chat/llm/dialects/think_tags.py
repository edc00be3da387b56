"""Reads `<think>…</think>` at the start of a content as reasoning.

If the prompt has opened the tag already, only `</think>` comes: all text before it is reasoning,
and content that was shown of it is withdrawn. A later `<think>` is text, and so is its `</think>`.
"""

import re
from collections.abc import Callable, Sequence

from chat.llm.dialects.answer_texts import AnswerTexts, SourceText, WhitespaceTrim

THINK = "<think>"
THINK_END = "</think>"


class ThinkTagReader:
    """Reads a content in pieces, in linear time; shows text as soon as its meaning is certain.

    With `trims` the content is shown without leading and trailing whitespace.
    """

    tags: tuple[str, ...] = (THINK, THINK_END)
    trims = False

    def __init__(self, texts: AnswerTexts) -> None:
        self._texts = texts
        self._pattern = re.compile("|".join(self.tags))
        # `_text` is unread from `_at` on; it begins at character `_base` of the content.
        self._text = ""
        self._at = 0
        self._base = 0
        self._step: Callable[[], bool] = self._read_text
        self._content = WhitespaceTrim(start=self.trims, end=self.trims)
        self._thought = WhitespaceTrim(start=True, end=True)
        self._blank = True  # only whitespace and reasoning yet: a <think> counts as at the start
        self.reasoned = False  # reasoning occurred, here or in a field of its own
        self._mentions = 0  # of <think> in the text

    def feed(self, text: str) -> None:
        """Reads more of the content."""
        self._base += self._at
        self._text = self._text[self._at :] + text
        self._at = 0
        if "<" not in self._text and self._step == self._read_text:
            self._say(len(self._text))  # the usual case: no tag, nor a part of one
        else:
            self._run()

    def finish(self) -> None:
        """Shows the text that is held back; to be called at the end."""
        if self._step == self._read_thought:
            self._think(len(self._text))
        else:
            self._say(len(self._text))
        self._texts.add("content", self._content.rest())

    def _run(self) -> None:
        while self._step():
            pass

    def _read_text(self) -> bool:
        """Reads up to the next tag; False when more text is needed."""
        tag = self._pattern.search(self._text, self._at)
        if tag is None:
            self._say(partial_tag_start(self._text, self._at, self.tags))
            return False
        self._say(tag.start())
        self._meet(tag[0])
        return True

    def _meet(self, tag: str) -> None:
        """Handles the tag at `_at`."""
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
            self._turn_into_reasoning()
        else:
            self._meet_stray_end()

    def _may_end_thought(self) -> bool:
        """Whether an unopened `</think>` makes the text before it reasoning."""
        return not self.reasoned

    def _meet_stray_end(self) -> None:
        self._say(self._at + len(THINK_END))

    def _begin_thought(self) -> None:
        self._at += len(THINK)
        self._thought = WhitespaceTrim(start=True, end=True)
        self._content = WhitespaceTrim(start=True, end=self.trims)
        self.reasoned = True
        self._texts.begin_reasoning()
        self._step = self._read_thought

    def _read_thought(self) -> bool:
        """Reads up to the end of the reasoning, in which no tag counts."""
        end = self._text.find(THINK_END, self._at)
        if end < 0:
            self._think(partial_tag_start(self._text, self._at, (THINK_END,)))
            return False
        self._think(end)
        self._at += len(THINK_END)
        self._step = self._read_text
        return True

    def _turn_into_reasoning(self) -> None:
        for piece in self._texts.withdraw_content():
            self._texts.add("reasoning", self._thought.add(piece))
        self._content = WhitespaceTrim(start=True, end=self.trims)
        self.reasoned = True

    def _say(self, end: int) -> None:
        if piece := self._piece(end):
            if self._blank:
                self._blank = piece.text.isspace()
            self._texts.add("content", self._content.add(piece))

    def _think(self, end: int) -> None:
        if piece := self._piece(end):
            self._texts.add("reasoning", self._thought.add(piece))

    def _piece(self, end: int) -> SourceText | None:
        """The unread text before `end`, which counts as read from now on."""
        start, self._at = self._at, end
        return (
            SourceText("content", self._base + start, self._text[start:end])
            if start < end
            else None
        )


def partial_tag_start(text: str, at: int, tags: Sequence[str]) -> int:
    """Where a tag begins that is incomplete at the end of the text; the text's length if none
    is."""
    start = text.rfind("<", at)
    if start >= 0 and any(tag.startswith(text[start:]) for tag in tags):
        return start
    return len(text)
