"""Up to where a request is the same as the one before it: what a provider's cache can hold.

Caches hash a prompt from its beginning, so the first element that differs ends what can be reused.
Assumed is the order in which Anthropic documents it, and in which templates of open models write a
prompt: tools, then the system prompt, then the messages. Parameters may invalidate a cache too;
that is not seen here.
"""

from dataclasses import dataclass
from itertools import takewhile

from tracing.errors import PayloadCorrupt
from tracing.journal.cost import cached_tokens
from tracing.journal.trace_rounds import tokens
from tracing.models import Payload, Span
from tracing.models.attributes import generation_attributes
from tracing.store import payloads
from tracing.store.manifests import Manifest

_WHERE = {"tools": "tool", "functions": "tool", "system": "system block"}


@dataclass(frozen=True)
class Break:
    """`same` elements (of `count`) begin as the request before did, with `same_bytes` of `bytes`.

    `kept` says that this is all of the request before: it was only added to. The first that differs
    stands at `place` (from 1) of `section`; both are empty if there is none.
    """

    same: int
    count: int
    same_bytes: int
    bytes: int
    kept: bool
    section: str = ""
    place: int = 0

    @property
    def percent(self) -> float:
        return self.same_bytes * 100 / self.bytes if self.bytes else 0.0

    @property
    def element(self) -> str:
        """What differs, in words: message 7, tool 2."""
        return f"{_WHERE.get(self.section, 'message')} {self.place}" if self.section else ""

    @property
    def is_message(self) -> bool:
        return self.section in ("messages", "input")


def read_break(request: Payload, before: Payload, sizes: dict[int, int]) -> Break | None:
    """None if either is damaged, or not cut into elements. `sizes` in bytes, by ordinal."""
    try:
        now, earlier = payloads.read_manifest(request), payloads.read_manifest(before)
    except PayloadCorrupt:
        return None
    return compare(in_wire_order(now), in_wire_order(earlier), sizes)


def compare(
    now: list[tuple[str, int]], before: list[tuple[str, int]], sizes: dict[int, int]
) -> Break | None:
    if not now or not before:
        return None
    pairs = zip(now, before, strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    section, place = "", 0
    if same < len(now):
        section = now[same][0]
        place = 1 + sum(1 for name, _ in now[:same] if name == section)
    return Break(
        same=same,
        count=len(now),
        same_bytes=sum(sizes.get(ordinal, 0) for _, ordinal in now[:same]),
        bytes=sum(sizes.get(ordinal, 0) for _, ordinal in now),
        kept=same == len(before),
        section=section,
        place=place,
    )


def in_wire_order(manifest: Manifest) -> list[tuple[str, int]]:
    """Section and ordinal of each element, as a provider puts them one after the other."""
    names = ("tools", "functions", "system", "messages", "input")
    return [(name, ordinal) for name in names for ordinal in manifest.section(name)]


def cached_share(generation: Span) -> tuple[int, float] | None:
    """The tokens that the provider reports to have come from its cache, and their percentage of
    the prompt; None if it reports nothing of the kind."""
    usage = generation_attributes(generation).get("usage")
    read = tokens(generation, "prompt_tokens")
    if not read or not isinstance(usage, dict) or not _reports_cache(usage):
        return None
    cached = cached_tokens(usage)
    return cached, min(cached, read) * 100 / read


def _reports_cache(usage: dict[str, object]) -> bool:
    details = usage.get("prompt_tokens_details")
    names = ("prompt_cache_hit_tokens", "cache_read_input_tokens")
    inner = isinstance(details, dict) and details.get("cached_tokens") is not None
    return inner or any(usage.get(name) is not None for name in names)
