"""Sentences about calls with unexpected members."""

from collections.abc import Iterable


def parameters_taken(name: str) -> str:
    return f"The arguments of a call of {name[:80]} stood under parameters; they were taken."


def listed(names: Iterable[str]) -> str:
    """Names that a model wrote, truncated for a sentence."""
    few = [repr(name[:40]) for name in names]
    more = f" and {len(few) - 5} more" if len(few) > 5 else ""
    return ", ".join(few[:5]) + more
