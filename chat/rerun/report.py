"""The result of a replay as text."""

from collections.abc import Iterator

from chat.rerun.replay import ReplayedTurn


def difference_lines(replayed: ReplayedTurn) -> Iterator[str]:
    """Lines about what differs from the recording; none if nothing does."""
    name = f"Turn {replayed.turn.name!r}"
    if replayed.problem:
        yield f"{name}: {replayed.problem}"
    if (deviation := replayed.deviation) is None:
        return
    yield (
        f"{name}: request {deviation.number} of {replayed.expected} ({deviation.label}) differs "
        f"at {deviation.difference.place}:"
    )
    yield from (f"  {line}" for line in deviation.difference.lines())


def summary(equal: int) -> str:
    return f"{equal} request{'' if equal == 1 else 's'} equal."
