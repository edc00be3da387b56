"""The texts of a wire message: content, reasoning and refusal, under any of their keys."""

from collections.abc import Iterable, Iterator, Sequence

from chat.llm.dialects.answer_texts import AnswerTexts, SourceText
from chat.llm.dialects.contract import Answer, Origin, TextDelta, WireMessage
from chat.llm.dialects.problems import (
    CONTENT,
    CUT_AT_LIMIT,
    ParseProblem,
    ProblemKind,
    malformed_arguments,
)
from chat.llm.dialects.think_tags import ThinkTagReader
from chat.llm.json_text import is_object
from chat.llm.messages import ToolCall, assistant_message
from limits.models import MAX_LISTED_PROBLEMS
from wire.chat_completions import REASONING_KEYS, content_of, reasoning_of
from wire.surrogates import PairJoiner, join_surrogates


class DeltaTextReader:
    """Reads the texts of deltas. `reader` separates reasoning and calls from the content.

    `foreign`: keys with calls of another dialect, which are reported and not read.
    """

    def __init__(self, reader: ThinkTagReader, texts: AnswerTexts, foreign: Sequence[str]) -> None:
        self._problems: list[ParseProblem] = []
        self._reader = reader
        self._texts = texts
        self._foreign = foreign
        self._content = PairJoiner()
        self._fields = {key: _Field(key) for key in REASONING_KEYS}
        self._field: _Field | None = None
        self._refusal: list[str] = []

    def read(self, delta: WireMessage) -> list[TextDelta]:
        """Reads the texts of a delta, or of a whole message; returns what can be shown now."""
        content = delta.get("content")
        if len(delta) > 1 or not content:
            self._read_members(delta)
        if content:
            self._reader.feed(self._content.add(self._text(content)))
        return self._texts.take()

    def _read_members(self, delta: WireMessage) -> None:
        """Reads all members but the content, which most deltas have alone."""
        key, reasoning = reasoning_of(delta)
        if key:
            self._reason(self._fields[key], reasoning)
        if isinstance(refusal := delta.get("refusal"), str):
            self._refusal.append(refusal)
        for key in self._foreign:
            if delta.get(key):
                self._report(f"The answer has {key}, which this dialect does not read.", key)

    def finish(self) -> list[TextDelta]:
        """The deltas that are held back; to be called at the end."""
        if self._field:
            self._texts.add("reasoning", self._field.rest())
        self._reader.feed(self._content.rest())
        self._reader.finish()
        return self._texts.take()

    def answer(
        self,
        calls: Sequence[ToolCall],
        problems: Sequence[ParseProblem],
        origins: Sequence[Origin],
        finish_reason: str | None,
        reissued: dict[str, str] | None = None,
        notes: Iterable[str] = (),
    ) -> Answer:
        """The answer with its calls, after `finish`."""
        message = assistant_message(
            self._texts.text("content"),
            self._texts.text("reasoning"),
            join_surrogates("".join(self._refusal)),
            calls,
        )
        return Answer(
            message,
            _limited([*problems, *self._problems, *_argument_problems(calls)], finish_reason),
            [*self._texts.origins(), *origins],
            reissued or {},
            notes=list(notes)[:MAX_LISTED_PROBLEMS],
        )

    def _reason(self, field: "_Field", text: str) -> None:
        if field is not self._field:
            self._texts.begin_reasoning()
            self._field = field
        self._reader.reasoned = True
        self._texts.add("reasoning", field.add(text))

    def _text(self, content: object) -> str:
        if isinstance(content, str):
            return content
        read = content_of(content)
        self._refusal += read.refusals
        if read.has_unread_parts:
            self._report("The content has parts that are not text.", CONTENT)
        return read.text

    def _report(self, text: str, path: str) -> None:
        problem = ParseProblem(ProblemKind.UNREAD_CONTENT, text, path)
        if problem not in self._problems:
            self._problems.append(problem)


class _Field:
    """The text of one reasoning key, over all deltas."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._length = 0
        self._joiner = PairJoiner()

    def add(self, text: str) -> list[SourceText]:
        return self._pieces(self._joiner.add(text))

    def rest(self) -> list[SourceText]:
        return self._pieces(self._joiner.rest())

    def _pieces(self, text: str) -> list[SourceText]:
        at = self._length
        self._length += len(text)
        return [SourceText(self._key, at, text)] if text else []


def _limited(problems: list[ParseProblem], finish_reason: str | None) -> list[ParseProblem]:
    """The first of them, with how many more there are, and what may have caused them."""
    if len(problems) > MAX_LISTED_PROBLEMS:
        more = f"There are {len(problems) - MAX_LISTED_PROBLEMS} more such errors."
        problems = [
            *problems[:MAX_LISTED_PROBLEMS],
            ParseProblem(ProblemKind.MORE_PROBLEMS, more),
        ]
    cut = [CUT_AT_LIMIT] if problems and finish_reason == "length" else []
    return [*problems, *cut]


def _argument_problems(calls: Sequence[ToolCall]) -> Iterator[ParseProblem]:
    """Arguments that are no JSON object; empty ones are none, which is no error."""
    for n, call in enumerate(calls, 1):
        function = call["function"]
        if function["arguments"] and not is_object(function["arguments"]):
            yield malformed_arguments(n, function["name"])
