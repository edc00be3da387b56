"""Where the page of a trace shows a span."""

from tracing.models import Span


def attempt_of(generation: Span) -> str:
    """How a model call is named beside its round: its number, or, as no round asked for it, the
    public id of a summary's."""
    is_attempt = generation.parent is None or generation.parent.kind == Span.Kind.ROUND
    return str(generation.number if is_attempt else generation.public_id)


def round_of(span: Span) -> int | None:
    """The number of the round that it is shown with; None if the trace has none."""
    parent = span.parent
    if parent is not None and parent.kind == Span.Kind.ROUND:
        return parent.number
    if parent is None or parent.kind != Span.Kind.COMPACTION:
        return None
    rounds = Span.objects.filter(trace=span.trace_id, kind=Span.Kind.ROUND).order_by("pk")
    following = rounds.filter(pk__gt=parent.pk).first() or rounds.last()
    return following.number if following else None


def address(span: Span) -> str:
    """The page at this attempt or call; of anything else the page of its trace."""
    page, number = span.trace.get_absolute_url(), round_of(span)
    if number is None:
        return page
    if span.kind == Span.Kind.TOOL:
        return f"{page}?round={number}#span-{span.public_id}"
    return f"{page}?round={number}&attempt={attempt_of(span)}"
