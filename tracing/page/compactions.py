"""Compactions before a round: what was left out of the context, and why, as text.

A span of kind `compaction` has its `layer` (`micro`, `auto`, `manual`), the number of results or
messages that it replaces, and estimated tokens before and after; a summary has a model call below
it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from languages.later import later
from limits.trace_pages import MAX_REPLACED_RESULTS, MAX_SHOWN_SUMMARY
from tracing.errors import PayloadCorrupt
from tracing.journal.trace_rounds import Compaction, Round, tokens
from tracing.models import Payload, Span
from tracing.models.attributes import compaction_attributes
from tracing.page.budget.context_window import window_source
from tracing.store import payloads

_TITLES = {
    "micro": later("older results shortened"),
    "cap": later("messages cut to fit"),
    "auto": "summarised",
    "manual": later("summarised on demand"),
}
_WHY = {
    "micro": later(
        "The request passed the share of the model's context window from which older results "
        "of tools give way to a line each."
    ),
    "cap": later(
        "The request had no room in the model's context window, so that texts were cut in their "
        "middle. What is stored stays whole."
    ),
    "auto": later(
        "The estimated tokens of the next request passed the share of the model's context "
        "window from which the older messages give way to a summary."
    ),
    "manual": later(
        "The model or a person asked for it: the older messages gave way to a summary."
    ),
}


@dataclass(frozen=True)
class CompactionView:
    """A compaction: why, facts, the results that it replaced (tool and characters of each), and the
    summary."""

    compaction: Compaction
    why: str
    facts: list[tuple[str, str]]
    replaced: list[tuple[str, int]]
    summary: str

    @property
    def span(self) -> Span:
        return self.compaction.span

    @property
    def title(self) -> str:
        return title(self.span)

    @property
    def figures(self) -> str:
        return figures(self.span)


def title(span: Span) -> str:
    return _TITLES.get(layer(span), layer(span))


def layer(span: Span) -> str:
    return str(compaction_attributes(span).get("layer") or span.name)


def figures(span: Span) -> str:
    """Figures of what was left out: `3 results, 12,000 characters, 4,100 → 1,200 tokens`."""
    attributes = compaction_attributes(span)
    of_results = "message" if layer(span) == "cap" else "result"
    counts = [
        f"{count:,} {word}{'' if count == 1 else 's'}"
        for name, word in (("results", of_results), ("messages", "message"))
        if (count := _count(attributes.get(name)))
    ]
    if omitted := _count(attributes.get("omitted")):
        counts.append(gettext("%(omitted)s left out") % {"omitted": f"{omitted:,}"})
    if characters := _count(attributes.get("left_out_characters")):
        counts.append(gettext("%(characters)s characters") % {"characters": f"{characters:,}"})
    if before := _count(attributes.get("tokens_before")):
        after = _count(attributes.get("tokens_after"))
        counts.append(f"{before:,} → {after:,} tokens" if after else f"{before:,} tokens before")
    return ", ".join(counts)


def read(compaction: Compaction, round_: Round) -> CompactionView:
    """The view of a compaction that is shown with this round."""
    span = compaction.span
    facts = [*_facts(span), *_after(compaction, round_), ("Span", str(span.public_id))]
    return CompactionView(compaction, _why(span), facts, _replaced(span), _summary(compaction))


def _why(span: Span) -> str:
    """The reason that the engine recorded, else that of the layer."""
    reason = compaction_attributes(span).get("reason")
    if not (isinstance(reason, str) and reason):
        return _WHY.get(layer(span), "")
    return f"{reason} The older messages gave way to a summary."


def _replaced(span: Span) -> list[tuple[str, int]]:
    replaced = compaction_attributes(span).get("replaced")
    return [
        (str(one.get("tool") or "a tool"), _count(one.get("characters")))
        for one in (replaced if isinstance(replaced, list) else [])[:MAX_REPLACED_RESULTS]
        if isinstance(one, dict)
    ]


def _after(compaction: Compaction, round_: Round) -> Iterator[tuple[str, str]]:
    """Tokens that the provider reported for the next request."""
    used = [tokens(span, "prompt_tokens") for span in round_.generations]
    if compaction in round_.compactions and any(used):
        yield (
            gettext("Tokens in of round %(number)s") % {"number": round_.number},
            f"{next(filter(None, reversed(used))):,}",
        )


def _facts(span: Span) -> Iterator[tuple[str, str]]:
    attributes = compaction_attributes(span)
    is_cap = layer(span) == "cap"
    yield gettext("Layer"), layer(span)
    if isinstance(focus := attributes.get("focus"), str) and focus:
        yield gettext("Focus"), focus[:500]
    for name, label in (
        (
            "results",
            gettext("Messages cut") if is_cap else gettext("Results replaced by placeholders"),
        ),
        ("omitted", gettext("Messages left out")),
        ("left_out_characters", gettext("Characters left out")),
        ("messages", gettext("Messages replaced by the summary")),
        ("summary_characters", gettext("Characters of the summary")),
        ("tokens_before", gettext("Tokens before, estimated")),
        ("tokens_after", gettext("Tokens after, estimated")),
        ("context_window", gettext("Context window in tokens")),
    ):
        if count := _count(attributes.get(name)):
            yield label, f"{count:,}"
    if source := window_source(attributes):
        yield gettext("Source of the context window"), source


def _summary(compaction: Compaction) -> str:
    """The text of the last of its model calls."""
    for generation in reversed(compaction.generations):
        payload = (
            Payload.objects.filter(span=generation, stage=Payload.Stage.OUTPUT)
            .select_related("span__trace")
            .first()
        )
        if payload is not None:
            return _content(payload)
    return ""


def _content(payload: Payload) -> str:
    try:
        value: Any = payloads.read_json(payload)
    except (PayloadCorrupt, ValueError, RecursionError):
        return ""
    message = value.get("message") if isinstance(value, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    return content[:MAX_SHOWN_SUMMARY] if isinstance(content, str) else ""


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
