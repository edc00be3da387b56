"""The tool calls of an answer: in canonical form, and their texts while they arrive."""

from dataclasses import dataclass
from uuid import uuid4

from chat.llm.dialects.call_sentences import parameters_taken
from chat.llm.dialects.calls_text import CallsText
from chat.llm.dialects.contract import Origin
from chat.llm.dialects.problems import ParseProblem, ProblemKind
from chat.llm.history import with_own_ids
from chat.llm.json_text import prompt_json
from chat.llm.messages import NO_NAME, UNNAMED, ToolCall, tool_call
from wire.tool_calls import CallMerger, CallProblem, CallProblemKind, NativeCall

TOOL_CALLS = "tool_calls"
# Deviations that are accepted with a note.
_ACCEPTED = frozenset({CallProblemKind.NAME_BESIDE_ID, CallProblemKind.PARAMETERS})


@dataclass(frozen=True, slots=True)
class MergedCalls:
    """The calls of an answer. `reissued` maps new ids to the duplicate ones that they replace."""

    calls: list[ToolCall]
    problems: list[ParseProblem]
    origins: list[Origin]
    reissued: dict[str, str]
    notes: list[str]


class NativeCalls:
    """Merges the calls of one answer."""

    def __init__(self) -> None:
        self._merger = CallMerger(write_arguments)
        self.text = CallsText()

    def feed(self, entries: object) -> None:
        """Takes `tool_calls` of a delta, or of a whole message."""
        for call, text in self._merger.feed(entries):
            self.text.write(call.number, call.name, text)

    def finish(self) -> MergedCalls:
        self._merger.finish()
        every = self._merger.calls
        numbered = [(n, call) for n, call in enumerate(every) if not call.is_empty]
        original = [
            tool_call(one.call_id, one.name or UNNAMED, one.arguments) for _, one in numbered
        ]
        calls = with_own_ids(original, f"call_{uuid4().hex}")
        return MergedCalls(
            calls,
            self._problems(every),
            [
                Origin(f"tool_calls[{n}]", "tool_call", call_id=call["id"])
                for (n, _), call in zip(numbered, calls, strict=True)
            ],
            {
                call["id"]: before["id"]
                for before, call in zip(original, calls, strict=True)
                if before["id"] and before["id"] != call["id"]
            },
            [_note(one) for one in self._merger.problems if one.kind in _ACCEPTED],
        )

    def _problems(self, calls: list[NativeCall]) -> list[ParseProblem]:
        problems = [_problem(one) for one in self._merger.problems if one.kind not in _ACCEPTED]
        if any(call.is_empty for call in calls):
            text = "An empty tool call was left out."
            problems.append(ParseProblem(ProblemKind.EMPTY_CALL, text, TOOL_CALLS))
        if not all(call.name or call.is_empty for call in calls):
            problems.append(ParseProblem(ProblemKind.UNNAMED_CALL, NO_NAME, TOOL_CALLS))
        return problems


def write_arguments(value: object) -> str:
    """The text of arguments that a server sent as a value."""
    try:
        return prompt_json(value)
    except ValueError:
        return str(value)  # such as Python's NaN, which is no JSON and is reported


def _note(problem: CallProblem) -> str:
    if problem.kind is CallProblemKind.PARAMETERS:
        return parameters_taken(problem.name or "a tool")
    return "The name of a tool call stood beside its id; it was taken."


def _problem(problem: CallProblem) -> ParseProblem:
    if problem.kind is CallProblemKind.MISNAMED_ARGUMENTS:
        where = f"under {problem.name}, which is not read"
        text = f"A tool call has its arguments {where}; it is not run."
        return ParseProblem(ProblemKind.MISNAMED_ARGUMENTS, text, TOOL_CALLS)
    is_list = problem.kind is CallProblemKind.NOT_AN_OBJECT
    text = "An entry of tool_calls is not an object." if is_list else "tool_calls is not a list."
    return ParseProblem(ProblemKind.MALFORMED_CALLS, text, TOOL_CALLS)
