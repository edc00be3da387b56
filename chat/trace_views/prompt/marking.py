"""A prompt text for display: marks text that is new since the previous round, and special
tokens."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile

from limits.replay import MAX_COMPARED_LINES, MAX_FOLDED_PROMPT, MAX_SHOWN_PROMPT
from tracing.formatting.text import visible

# Special tokens of Qwen, Llama and others, DeepSeek, Mistral, Gemma.
_SPECIAL = re.compile(
    r"(<[|｜][^|｜<>\n]{1,60}[|｜]>|</?s>|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS"
    r"|TOOL_RESULTS)\]|<(?:bos|eos|start_of_turn|end_of_turn)>)"
)
# Unchanged text of more lines is collapsed.
_UNFOLDED_LINES = 12


@dataclass(frozen=True)
class PromptText:
    """A part of a block; `is_special`: a special token."""

    text: str
    is_special: bool


@dataclass(frozen=True)
class PromptBlock:
    """Lines that are all new or all unchanged. `hidden`: number of characters not on the page."""

    is_new: bool
    lines: int
    pieces: list[PromptText]
    folded: bool = False
    hidden: int = 0


@dataclass(frozen=True)
class MarkedPrompt:
    """`compared`: there is a previous round. `gone`: number of lines that only it has."""

    blocks: list[PromptBlock]
    characters: int
    new: int
    gone: int
    compared: bool


def mark_prompt(text: str, before: str | None) -> MarkedPrompt:
    if before is None:
        shown = _block(text, is_new=False, folds=False, most=MAX_SHOWN_PROMPT)
        return MarkedPrompt([shown], len(text), 0, 0, compared=False)
    old, lines = before.splitlines(keepends=True), text.splitlines(keepends=True)
    blocks: list[PromptBlock] = []
    gone = new = 0
    left = MAX_SHOWN_PROMPT
    for is_new, start, end, removed in _changes(old, lines):
        gone += removed
        if start == end:
            continue
        part = "".join(lines[start:end])
        block = _block(part, is_new, folds=not is_new, most=left if is_new else MAX_FOLDED_PROMPT)
        if is_new:
            new += len(part)
            left -= len(part) - block.hidden
        blocks.append(block)
    return MarkedPrompt(blocks, len(text), new, gone, compared=True)


def _block(text: str, is_new: bool, folds: bool, most: int) -> PromptBlock:
    lines = len(text.splitlines())
    return PromptBlock(
        is_new=is_new,
        lines=lines,
        pieces=list(_pieces(text[: max(0, most)])),
        folded=folds and lines > _UNFOLDED_LINES,
        hidden=max(0, len(text) - max(0, most)),
    )


def _pieces(text: str) -> Iterator[PromptText]:
    for place, part in enumerate(_SPECIAL.split(text)):
        if part:
            yield PromptText(visible(part), is_special=place % 2 == 1)


def _changes(old: list[str], new: list[str]) -> Iterator[tuple[bool, int, int, int]]:
    """Ranges of lines: whether they are new, start, end, number of old lines replaced."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    old_end, new_end = len(old) - tail, len(new) - tail
    yield False, 0, head, 0
    if max(old_end, new_end) - head > MAX_COMPARED_LINES:
        yield True, head, new_end, old_end - head
    else:
        matcher = SequenceMatcher(None, old[head:old_end], new[head:new_end], autojunk=False)
        for change, old_from, old_to, start, end in matcher.get_opcodes():
            is_new = change != "equal"
            yield is_new, head + start, head + end, old_to - old_from if is_new else 0
    yield False, new_end, len(new), 0


def _common(one: list[str], other: list[str]) -> int:
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
