"""The numbers by which an answer cites sources: 1, 2, … in a turn, in the order in which its
results come; an address keeps its number.

They are given in the transaction that ends a call, after its first statement has locked the turn's
row: calls that end at the same moment number one after the other.
"""

from collections.abc import Sequence
from itertools import count

from chat.agent.claimed_call import ClaimedCall
from limits.tools import MAX_SOURCE_QUOTE
from tools.values.call import ToolResult
from tracing.models import Span
from tracing.models.attributes import call_attributes


def numbered(call: ClaimedCall, result: ToolResult) -> ToolResult:
    """The result with the turn's numbers, which the call's attributes keep. No query for a result
    without sources."""
    if result.sourced is None or not result.sourced.quotations:
        return result
    sources = [one.source for one in result.sourced.quotations]
    known = _known(call.span)
    numbers = _numbers([source.url for source in sources], known)
    attributes = call_attributes(call.span)
    attributes["sources"] = list(
        {
            number: {"number": number, "title": source.title, "url": source.url}
            for number, source in zip(numbers, sources, strict=True)
        }.values()
    )
    attributes["quotes"] = [
        [number, one.quote[:MAX_SOURCE_QUOTE]]
        for number, one in zip(numbers, result.sourced.quotations, strict=True)
    ]
    return result.numbered(numbers)


def _known(span: Span) -> dict[str, int]:
    """Numbers by address, of the other calls of the turn."""
    calls = Span.objects.filter(trace=span.trace_id, kind=Span.Kind.TOOL).exclude(pk=span.pk)
    attributes = calls.values_list("attributes", flat=True)
    return {
        source["url"]: source["number"] for one in attributes for source in one.get("sources") or ()
    }


def _numbers(urls: Sequence[str], known: dict[str, int]) -> list[int]:
    free = count(max(known.values(), default=0) + 1)
    for url in urls:
        if url not in known:
            known[url] = next(free)
    return [known[url] for url in urls]
