"""The steps of a probe and its conclusion: pure functions of the rounds so far.

The question needs two independent calls of a tiny tool. A server may answer with calls in the
requested form; with calls as text, which it did not parse; with text only, because it dropped the
tools or the model ignored them; or it refuses requests with tools.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chat.engine.generation.outcome import Generated
from chat.llm.errors import StatusFailure

# Dialects to try, the likeliest first; plain text, which every server accepts, last.
ORDER = {"anthropic": ("anthropic",)}
USUAL_ORDER = ("native", "functions", "nous")
CALL_TAG = "<tool_call>"
USAGE_OPTION = b"stream_options"
# Statuses of servers that refuse a request with tools: vLLM and Ollama 400, OpenRouter 404,
# llama.cpp 500.
REFUSALS = frozenset({400, 404, 405, 422, 500, 501})


@dataclass(frozen=True)
class Step:
    """The next call: its dialect, and whether it asks for usage in the stream."""

    dialect: str
    asks_for_usage: bool = True


@dataclass(frozen=True)
class ProbeRound:
    """One round of a probe, with its outcome."""

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
        """Whether there are calls in the text, which this dialect does not parse."""
        answer = self.generated.answer
        return self.answered and answer is not None and CALL_TAG in answer.content

    @property
    def may_refuse_tools(self) -> bool:
        """Whether the failure may be due to the tools, so that another dialect may work."""
        error = self.generated.error
        return isinstance(error, StatusFailure) and error.status in REFUSALS

    @property
    def may_refuse_usage(self) -> bool:
        """Whether the failure may be due to the request for usage in the stream."""
        error = self.generated.error
        refused = isinstance(error, StatusFailure) and error.status in REFUSALS
        evidence = error.evidence if error else b""
        return refused and self.step.asks_for_usage and USAGE_OPTION in evidence


def next_step(kind: str, rounds: Sequence[ProbeRound]) -> Step | None:
    """The next step at a provider of this kind; None at the end."""
    names = {each.dialect for each in rounds}
    rest = [name for name in ORDER.get(kind, USUAL_ORDER) if name not in names]
    if not rounds:
        return Step(rest[0])
    last = rounds[-1]
    if last.may_refuse_usage:
        return Step(last.dialect, asks_for_usage=False)
    if not rest or last.calls or not (last.answered or last.may_refuse_tools):
        return None
    name = "nous" if last.wrote_calls and "nous" in rest else rest[0]
    return Step(name, last.step.asks_for_usage)


def verdict(rounds: Sequence[ProbeRound]) -> dict[str, Any] | None:
    """The conclusion to store; None if no round got an answer.

    `dialect`: the first in which the model called the tool, else the first that was answered;
    `calls`: whether it called; `parallel_calls`: whether it made both calls at once;
    `reasoning_field`: `reasoning_content`, `reasoning`, `thinking` (a block of its own), `think`
    (tags within the text) or None; `usage_in_streams`; `tried`: the dialects in order.
    """
    answered = [each for each in rounds if each.answered]
    if not answered:
        return None
    best = next((each for each in answered if each.calls), answered[0])
    return {
        "dialect": best.dialect,
        "calls": best.calls > 0,
        "parallel_calls": best.calls > 1,
        "reasoning_field": _reasoning_field(best.generated),
        "usage_in_streams": best.generated.usage is not None,
        "tried": list(dict.fromkeys(each.dialect for each in rounds)),
    }


def _reasoning_field(generated: Generated) -> str | None:
    origins = generated.answer.origins if generated.answer else ()
    paths = (origin.path for origin in origins if origin.became == "reasoning")
    path = next(paths, None)
    return "think" if path == "content" else path and path.rpartition(".")[2]
