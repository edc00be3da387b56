"""The failure for a problem of a response."""

from collections.abc import Mapping

from chat.llm.errors import (
    BrokenChunk,
    CutStream,
    EmptyBody,
    InvalidUtf8,
    NoChunks,
    NotAStream,
    StreamFailure,
)
from chat.llm.failures import provider_error
from wire.chunks import ProblemKind, ReadProblem, ReportedError

_FAILURES: Mapping[ProblemKind, type[StreamFailure]] = {
    ProblemKind.EMPTY: EmptyBody,
    ProblemKind.NOT_A_STREAM: NotAStream,
    ProblemKind.NO_CHUNKS: NoChunks,
    ProblemKind.CUT: CutStream,
    ProblemKind.NOT_AN_OBJECT: BrokenChunk,
}


def stream_failure(problem: ReadProblem) -> StreamFailure:
    """The failure of a response with this problem."""
    if isinstance(problem, ReportedError):
        return provider_error(problem.error, problem.evidence)
    if problem.kind is ProblemKind.INVALID_UTF8:
        return InvalidUtf8(problem.offset, evidence=problem.evidence)
    return _FAILURES[problem.kind](evidence=problem.evidence)
