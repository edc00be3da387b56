"""Reads an answer of Anthropic's Messages API: content blocks, in events or as a whole."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import uuid4

from chat.llm.dialects.answer_texts import AnswerTexts, SourceText
from chat.llm.dialects.anthropic_names import original_name
from chat.llm.dialects.calls_text import CallsText
from chat.llm.dialects.contract import Answer, Origin, Part, TextDelta
from chat.llm.dialects.native_calls import write_arguments
from chat.llm.dialects.problems import (
    CONTENT,
    CUT_AT_LIMIT,
    ParseProblem,
    ProblemKind,
    malformed_arguments,
)
from chat.llm.history import with_own_ids
from chat.llm.json_text import is_object
from chat.llm.messages import NO_NAME, UNNAMED, ToolCall, assistant_message, tool_call
from wire.content_blocks import (
    BlockEvent,
    BlockProblem,
    BlockReader,
    BlockStart,
    BlockText,
    ContentBlock,
)
from wire.json_values import text_or_empty
from wire.surrogates import join_surrogates

# The part of the answer that a block of text belongs to.
_PARTS: Mapping[str, Part] = {"text": "content", "thinking": "reasoning"}
_KNOWN = (*_PARTS, "tool_use", "redacted_thinking")
_SENTENCES = {
    BlockProblem.NOT_A_LIST: "The content is not a list of blocks.",
    BlockProblem.NOT_AN_OBJECT: "A content block is not an object.",
    BlockProblem.NO_BLOCK: "A part of a content block belongs to none.",
}


class AnthropicStream:
    """Reads one answer as it arrives."""

    def __init__(self) -> None:
        self._reader = BlockReader()
        self._texts = AnswerTexts()
        self._calls = CallsText()
        self._paths: dict[ContentBlock, str] = {}  # of texts, as origins name them
        self._names: dict[ContentBlock, str] = {}  # of calls
        self._problems: dict[ParseProblem, None] = {}  # an ordered set

    def feed(self, event: Mapping[str, Any]) -> list[TextDelta]:
        """Takes an event of a stream, or a whole message."""
        for one in self._reader.feed(event):
            self._take(one)
        return [*self._texts.take(), *self._calls.take()]

    def finish(self, finish_reason: str | None = None) -> tuple[list[TextDelta], Answer]:
        for rest in self._reader.finish():
            self._take(rest)
        uses = self._uses()
        original = [tool_call(_id(use), *_name_and_arguments(use)) for use in uses]
        calls = with_own_ids(original, f"call_{uuid4().hex}")
        thinking = _thinking_blocks(self._reader.blocks)
        answer = Answer(
            assistant_message(
                self._texts.text("content"), self._texts.text("reasoning"), calls=calls
            ),
            self._finish_problems(calls, finish_reason),
            [*self._texts.origins(), *_origins(uses, calls)],
            {
                call["id"]: before["id"]
                for before, call in zip(original, calls, strict=True)
                if before["id"] and before["id"] != call["id"]
            },
            {"thinking_blocks": thinking} if thinking else {},
        )
        return self._texts.take(), answer

    def _take(self, event: BlockEvent) -> None:
        if isinstance(event, BlockText):
            block, at, text = event
            if block.type == "tool_use":
                self._calls.write(block.place, self._names[block], text)
            elif text and block in self._paths:
                self._texts.add(_PARTS[block.type], [SourceText(self._paths[block], at, text)])
        elif isinstance(event, BlockStart):
            self._begin(event.block)
        else:
            self._report(ProblemKind.MALFORMED_CONTENT, _SENTENCES[event])

    def _begin(self, block: ContentBlock) -> None:
        if block.type in _PARTS:
            self._paths[block] = f"content[{block.place}].{block.text_key}"
        if block.type == "thinking":
            self._texts.begin_reasoning()
        elif block.type == "tool_use":
            self._names[block] = _name(block)
            self._calls.write(block.place, self._names[block], "")
        elif block.type not in _KNOWN:
            text = f"A content block of type {block.type or 'unknown'} was not read."
            self._report(ProblemKind.UNREAD_CONTENT, text)

    def _uses(self) -> list[ContentBlock]:
        uses = [block for block in self._reader.blocks if block.type == "tool_use"]
        if not all(_name(block) for block in uses):
            self._report(ProblemKind.UNNAMED_CALL, NO_NAME)
        return uses

    def _finish_problems(
        self, calls: list[ToolCall], finish_reason: str | None
    ) -> list[ParseProblem]:
        for place, call in enumerate(calls, 1):
            name, arguments = call["function"]["name"], call["function"]["arguments"]
            if not is_object(arguments):
                self._problems[malformed_arguments(place, name)] = None
        if self._problems and finish_reason == "length":
            self._problems[CUT_AT_LIMIT] = None
        return list(self._problems)

    def _report(self, kind: ProblemKind, text: str) -> None:
        self._problems[ParseProblem(kind, text, CONTENT)] = None


def _name(use: ContentBlock) -> str:
    return original_name(join_surrogates(text_or_empty(use.start.get("name"))))


def _id(use: ContentBlock) -> str:
    return join_surrogates(text_or_empty(use.start.get("id")))


def _name_and_arguments(use: ContentBlock) -> tuple[str, str]:
    """Name and arguments of a call, whose input is in the block or in its JSON text."""
    return _name(use) or UNNAMED, use.text or write_arguments(use.start.get("input") or {})


def _thinking_blocks(blocks: Iterable[ContentBlock]) -> list[dict[str, Any]]:
    """Thinking blocks as the API accepts them back: only those with a signature."""
    return [
        block.start
        if block.type == "redacted_thinking"
        else {"type": "thinking", "thinking": block.text, "signature": block.signature}
        for block in blocks
        if block.type == "redacted_thinking" or (block.type == "thinking" and block.signature)
    ]


def _origins(uses: Iterable[ContentBlock], calls: Iterable[ToolCall]) -> list[Origin]:
    return [
        Origin(f"content[{use.place}]", "tool_call", call_id=call["id"])
        for use, call in zip(uses, calls, strict=True)
    ]
