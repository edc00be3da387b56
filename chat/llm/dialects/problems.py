"""What is malformed in an answer: a value for the trace, with a sentence for people."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

CONTENT = "content"


class ProblemKind(StrEnum):
    """Stored with the `output` stage: add kinds, do not rename them."""

    MALFORMED_CALL = "malformed_call"  # text between the tags of a call is none; it stays text
    UNKNOWN_MEMBERS = "unknown_members"  # the call counts, its other members do not
    STRAY_END_TAG = "stray_end_tag"
    MALFORMED_ARGUMENTS = "malformed_arguments"  # not a JSON object
    MISNAMED_ARGUMENTS = "misnamed_arguments"
    MALFORMED_CALLS = "malformed_calls"  # `tool_calls`, or an entry of it, has another type
    EMPTY_CALL = "empty_call"
    UNNAMED_CALL = "unnamed_call"
    MALFORMED_CONTENT = "malformed_content"  # a content block has another type, or no beginning
    UNREAD_CONTENT = "unread_content"  # a key, a part or a block that the dialect does not read
    CUT_AT_LIMIT = "cut_at_limit"  # of the answer's length, which may be why it is malformed
    MORE_PROBLEMS = "more_problems"  # beyond `limits.models.MAX_LISTED_PROBLEMS`


@dataclass(frozen=True, slots=True)
class ParseProblem:
    """`text` is a sentence. `path`, `start` and `end` are those of an `Origin`; `end` is None where
    only the beginning is known, all three are empty where no place is."""

    kind: ProblemKind
    text: str
    path: str = ""
    start: int | None = None
    end: int | None = None

    def place(self) -> dict[str, Any]:
        """What the `output` stage has beside the text."""
        return {"kind": self.kind.value, "path": self.path, "start": self.start, "end": self.end}


def malformed_arguments(number: int, name: str) -> ParseProblem:
    """`number`: of the call in the answer, from 1."""
    text = f"The arguments of tool call {number} ({name}) are not a JSON object."
    return ParseProblem(ProblemKind.MALFORMED_ARGUMENTS, text)


CUT_AT_LIMIT = ParseProblem(
    ProblemKind.CUT_AT_LIMIT, "The answer was cut at the limit of its length."
)
