"""What a probe tries, and what it concludes: pure functions of what has been tried.

The question needs two calls of a tiny tool that do not depend on each other. A server may answer
with calls in the form that was asked for; with calls as text, because nobody parsed them; with text
alone, because it dropped the tools or the model did not care; or it refuses requests with tools.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chat.engine.generation.outcome import Generated
from chat.llm.errors import StatusFailure

# The likeliest first, and plain text, which every server takes, last.
ORDER = {"anthropic": ("anthropic",)}
USUAL_ORDER = ("native", "functions", "nous")
CALL_TAG = "<tool_call>"
USAGE_OPTION = b"stream_options"
# What servers answer to a request whose tools they do not take: vLLM and Ollama 400, OpenRouter
# 404, llama.cpp 500.
REFUSALS = frozenset({400, 404, 405, 422, 500, 501})


@dataclass(frozen=True)
class Step:
    """One call to make: the dialect's name, and whether the stream is asked for its usage."""

    dialect: str
    asks_for_usage: bool = True


@dataclass(frozen=True)
class Tried:
    """One round of a probe, and what came of it."""

    step: Step
    generated: Generated

    @property
    def dialect(self) -> str:
        return self.step.dialect

    @property
    def answered(self) -> bool:
        return self.generated.error is None

    @property
    def calls(self) -> int:
        return len(self.generated.calls)

    @property
    def wrote_calls(self) -> bool:
        """Whether calls stand in the text, where this dialect does not look for them."""
        answer = self.generated.answer
        return self.answered and answer is not None and CALL_TAG in answer.content

    @property
    def may_be_the_tools(self) -> bool:
        """Whether another dialect may do better after this failure."""
        error = self.generated.error
        return isinstance(error, StatusFailure) and error.status in REFUSALS

    @property
    def may_be_the_usage(self) -> bool:
        """Whether the server seems not to know how to report usage in a stream."""
        error = self.generated.error
        refused = isinstance(error, StatusFailure) and error.status in REFUSALS
        evidence = error.evidence if error else b""
        return refused and self.step.asks_for_usage and USAGE_OPTION in evidence


def next_step(kind: str, tried: Sequence[Tried]) -> Step | None:
    """What to try next at a provider of this kind; None when enough is known."""
    names = {each.dialect for each in tried}
    rest = [name for name in ORDER.get(kind, USUAL_ORDER) if name not in names]
    if not tried:
        return Step(rest[0])
    last = tried[-1]
    if last.may_be_the_usage:
        return Step(last.dialect, asks_for_usage=False)
    if not rest or last.calls or not (last.answered or last.may_be_the_tools):
        return None
    name = "nous" if last.wrote_calls and "nous" in rest else rest[0]
    return Step(name, last.step.asks_for_usage)


def verdict(tried: Sequence[Tried]) -> dict[str, Any] | None:
    """What to remember, or None if no answer came at all.

    `dialect`: the first in which the model called the tool, else the first that was answered;
    `calls`: whether it called; `parallel_calls`: whether it made both calls at once;
    `reasoning_field`: `reasoning_content`, `reasoning`, `thinking` (a block of its own), `think`
    (tags within the text) or None; `usage_in_streams`; `tried`: the dialects in order.
    """
    answered = [each for each in tried if each.answered]
    if not answered:
        return None
    best = next((each for each in answered if each.calls), answered[0])
    return {
        "dialect": best.dialect,
        "calls": best.calls > 0,
        "parallel_calls": best.calls > 1,
        "reasoning_field": _reasoning_field(best.generated),
        "usage_in_streams": best.generated.usage is not None,
        "tried": list(dict.fromkeys(each.dialect for each in tried)),
    }


def _reasoning_field(generated: Generated) -> str | None:
    origins = generated.answer.origins if generated.answer else ()
    paths = (origin.path for origin in origins if origin.became == "reasoning")
    path = next(paths, None)
    return "think" if path == "content" else path and path.rpartition(".")[2]
