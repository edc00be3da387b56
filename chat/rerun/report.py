"""What came of a replay, for people."""

from collections.abc import Iterator

from chat.rerun.playing import Replayed


def wrong(replayed: Replayed) -> Iterator[str]:
    """What was not as recorded, in lines; none if all was."""
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
