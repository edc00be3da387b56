"""The tool calls of an answer in canonical form, and while they arrive."""

from dataclasses import dataclass
from uuid import uuid4

from chat.llm.dialects.call_sentences import parameters_taken
from chat.llm.dialects.calls_text import CallsText
from chat.llm.dialects.contract import Origin
from chat.llm.history import with_own_ids
from chat.llm.json_text import prompt_json
from chat.llm.messages import NO_NAME, UNNAMED, ToolCall, tool_call
from wire.tool_calls import CallMerger, CallProblem, CallProblemKind, NativeCall

# What is read all the same, and not in the way it should have been written.
_NOTED = frozenset({CallProblemKind.NAME_BESIDE_ID, CallProblemKind.PARAMETERS})


@dataclass(frozen=True, slots=True)
class MergedCalls:
    """The calls of an answer. `reissued` maps each id that we gave to the one that was taken."""

    calls: list[ToolCall]
    errors: list[str]
    origins: list[Origin]
    reissued: dict[str, str]
    notes: list[str]


class NativeCalls:
    """Takes the calls of one answer."""

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
        asked = [(n, call) for n, call in enumerate(every) if not call.is_empty]
        given = [tool_call(one.call_id, one.name or UNNAMED, one.arguments) for _, one in asked]
        calls = with_own_ids(given, f"call_{uuid4().hex}")
        return MergedCalls(
            calls,
            self._errors(every),
            [
                Origin(f"tool_calls[{n}]", "tool_call", call_id=call["id"])
                for (n, _), call in zip(asked, calls, strict=True)
            ],
            {
                call["id"]: before["id"]
                for before, call in zip(given, calls, strict=True)
                if before["id"] and before["id"] != call["id"]
            },
            [_sentence(one) for one in self._merger.problems if one.kind in _NOTED],
        )

    def _errors(self, calls: list[NativeCall]) -> list[str]:
        errors = [_sentence(one) for one in self._merger.problems if one.kind not in _NOTED]
        if any(call.is_empty for call in calls):
            errors.append("An empty tool call was left out.")
        if not all(call.name or call.is_empty for call in calls):
            errors.append(NO_NAME)
        return errors


def write_arguments(value: object) -> str:
    """Arguments that a server sent as a value and not as text."""
    try:
        return prompt_json(value)
    except ValueError:
        return str(value)  # Python's NaN, say: not JSON, which is reported


def _sentence(problem: CallProblem) -> str:
    match problem.kind:
        case CallProblemKind.NOT_A_LIST:
            return "tool_calls is not a list."
        case CallProblemKind.NOT_AN_OBJECT:
            return "An entry of tool_calls is not an object."
        case CallProblemKind.MISNAMED_ARGUMENTS:
            where = f"under {problem.name}, which is not read"
            return f"A tool call has its arguments {where}; it is not run."
        case CallProblemKind.NAME_BESIDE_ID:
            return "The name of a tool call stood beside its id; it was taken."
        case CallProblemKind.PARAMETERS:
            return parameters_taken(problem.name or "a tool")
