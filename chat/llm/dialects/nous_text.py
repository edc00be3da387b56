"""Reads the text of an answer in the nous dialect: reasoning, content, and tool calls.

A call is one JSON object between `<tool_call>` and `</tool_call>`. The end tag may be missing
before another call and at the end of the answer, where servers remove it as a stop word; the object
must be complete. As soon as a block cannot be a call, it is read again as text from its beginning:
blocks in it count, its tags are not shown. So text after a malformed block is shown at once, and a
valid block after it is always found.

Reading again stays linear. A block within another one can only begin in a string of it, so that the
two disagree about every quote that follows: at the next `<` one of them is outside of strings, and
ends there.
"""

from dataclasses import dataclass
from uuid import uuid4

from chat.llm.dialects import call_sentences
from chat.llm.dialects.answer_texts import AnswerTexts
from chat.llm.dialects.calls_text import CallsText
from chat.llm.dialects.contract import Origin
from chat.llm.dialects.problems import CONTENT, ParseProblem, ProblemKind
from chat.llm.dialects.think_tags import THINK, THINK_END, ThinkTagReader, partial_tag_start
from chat.llm.json_text import encodable, is_object, read_members
from chat.llm.messages import ToolCall, tool_call
from wire import call_members
from wire.json_scanner import ObjectScanner, Scan
from wire.surrogates import join_surrogates

CALL = "<tool_call>"
CALL_END = "</tool_call>"
_JSON_SPACE = " \t\r\n"


class NousReader(ThinkTagReader):
    """Reads a content in pieces; `calls`, `origins`, `problems` and `notes` are those read so
    far."""

    tags = (THINK, THINK_END, CALL, CALL_END)
    trims = True

    def __init__(self, texts: AnswerTexts) -> None:
        super().__init__(texts)
        self.calls: list[ToolCall] = []
        self.origins: list[Origin] = []
        self.problems: list[ParseProblem] = []
        self.notes: dict[str, None] = {}  # an ordered set
        self.call_texts = CallsText()
        self._number = -1  # of the open block
        # The open block: where the text after its tag begins, and the part of it before `_text`.
        self._body_at = 0
        self._body: list[str] = []
        self._scanner = ObjectScanner()
        self._call = ParsedCall()
        self._follows_malformed = False  # the next end tag belongs to a block that was malformed

    def feed(self, text: str) -> None:
        if self._step in (self._read_object, self._read_end):
            self._body.append(self._unstored_body())
        super().feed(text)

    def finish(self) -> None:
        while self._step == self._read_object:
            self._give_up("the answer ends within it")
            self._run()
        if self._step == self._read_end:
            self._take_call()
            self._at = len(self._text)  # at most a part of the end tag is left
        super().finish()

    def _meet(self, tag: str) -> None:
        if tag == CALL:
            self._begin_block()
        elif tag == CALL_END:
            self._meet_call_end()
        else:
            super()._meet(tag)

    def _meet_call_end(self) -> None:
        """Handles an end tag whose block was malformed, or never began."""
        if not self._follows_malformed:
            start = self._base + self._at
            self._report(
                ProblemKind.STRAY_END_TAG,
                f"The {CALL_END} at character {start} ends nothing.",
                start,
                start + len(CALL_END),
            )
        self._follows_malformed = False
        self._at += len(CALL_END)

    def _may_end_thought(self) -> bool:
        return super()._may_end_thought() and not self.calls

    def _meet_stray_end(self) -> None:
        self._at += len(THINK_END)

    def _begin_block(self) -> None:
        self._blank = False
        self._follows_malformed = False
        self._at += len(CALL)
        self._body_at = self._base + self._at
        self._body = []
        self._scanner = ObjectScanner()
        self._number += 1
        self._step = self._read_object

    def _read_object(self) -> bool:
        self._at = self._scanner.scan(self._text, self._at)
        if self._scanner.state is not Scan.BROKEN:
            self.call_texts.write(self._number, "", self._unstored_body())
        if self._scanner.state is Scan.OPEN:
            return False
        if self._scanner.state is Scan.BROKEN:
            self._give_up("it is not a JSON object")
            return True
        try:
            self._call = parse_call("".join(self._body) + self._unstored_body())
        except ValueError as error:
            self._give_up(str(error))
            return True
        self.call_texts.write(self._number, self._call.name, "")
        self._step = self._read_end
        return True

    def _read_end(self) -> bool:
        while self._text[self._at : self._at + 1] in _JSON_SPACE:
            if self._at == len(self._text):
                return False
            self._at += 1
        if self._text.startswith(CALL_END, self._at):
            self._at += len(CALL_END)
            self._take_call()
        elif self._text.startswith(CALL, self._at):
            self._take_call()
        elif partial_tag_start(self._text, self._at, (CALL_END, CALL)) == self._at:
            return False
        else:
            self._give_up("something else follows its JSON object")
        return True

    def _take_call(self) -> None:
        """Takes the block that ends at `_at` as a call."""
        call = self._call
        call_id = f"call_{uuid4().hex}"
        start, end = self._body_at - len(CALL), self._base + self._at
        self.calls.append(tool_call(call_id, call.name, call.arguments))
        self.notes |= dict.fromkeys(call.notes)
        for reason in call.errors:
            text = f"The tool call at character {start} is odd: {reason}."
            self._report(ProblemKind.UNKNOWN_MEMBERS, text, start, end)
        self.origins.append(Origin(CONTENT, "tool_call", start, end, call_id))
        self._step = self._read_text

    def _give_up(self, reason: str) -> None:
        """Reports the open block as malformed; it is read again as text."""
        start = self._body_at - len(CALL)
        self.call_texts.drop(self._number)
        text = f"The tool call at character {start} is malformed: {reason}."
        self._report(ProblemKind.MALFORMED_CALL, text, start)
        if self._body:
            self._text = "".join(self._body) + self._text
            self._base = self._body_at
            self._body = []
        self._at = self._body_at - self._base
        self._follows_malformed = True
        self._step = self._read_text

    def _report(self, kind: ProblemKind, text: str, start: int, end: int | None = None) -> None:
        self.problems.append(ParseProblem(kind, text, CONTENT, start, end))

    def _unstored_body(self) -> str:
        """The text of the open block that was read and is not in `_body` yet."""
        return self._text[max(self._body_at - self._base, 0) : self._at]


@dataclass(frozen=True, slots=True)
class ParsedCall:
    """A call in a block. `notes` and `errors`: sentences about its other members."""

    name: str = ""
    arguments: str = ""
    notes: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


def parse_call(text: str) -> ParsedCall:
    """The call of `{"name": …, "arguments": …}`.

    The arguments are JSON text as the model wrote it, `{}` if there are none; an object given as a
    string is unwrapped. Raises ValueError, also where the arguments have another name.
    """
    try:
        members = read_members(text)
    except ValueError as error:
        raise ValueError(f"it is not a JSON object: {error}") from None
    value, _ = members.get("name", (None, ""))
    if not isinstance(value, str) or not value:
        raise ValueError("it has no name")
    name = join_surrogates(value)
    present = [member for member, (value, _) in members.items() if value is not None]
    key = call_members.key_of_arguments(present)
    others = call_members.unknown_members(present, key)
    if others and not key:
        why = "it has no arguments, but members that do not belong there"
        raise ValueError(f"{why}: {join_surrogates(call_sentences.listed(others))}")
    notes = (call_sentences.parameters_taken(name),) if key == call_members.PARAMETERS else ()
    errors = (f"it has members that do not belong there: {call_sentences.listed(others)}",)
    arguments = _arguments(*members.get(key, (None, "")))
    return ParsedCall(name, arguments, notes, tuple(map(join_surrogates, errors)) if others else ())


def _arguments(value: object, text: str) -> str:
    if value is None:
        return "{}"
    return encodable(value) if isinstance(value, str) and is_object(value) else text
