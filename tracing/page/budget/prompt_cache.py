"""The longest prefix that a request shares with the previous one: what a provider's cache can hold.

Caches hash a prompt from its beginning, so the first different element ends what can be reused. The
assumed order is the one that Anthropic documents and that templates of open models use: tools,
system prompt, messages. Parameters can invalidate a cache too; these are not compared.
"""

from dataclasses import dataclass
from itertools import takewhile

from django.utils.translation import gettext

from languages.later import later
from tracing.errors import PayloadCorrupt
from tracing.journal.cost import cached_tokens
from tracing.journal.trace_rounds import tokens
from tracing.models import Payload, Span
from tracing.models.attributes import generation_attributes
from tracing.store import payloads
from tracing.store.manifests import Manifest

_WHERE = {"tools": later("tool"), "functions": later("tool"), "system": later("system block")}


@dataclass(frozen=True)
class PrefixMatch:
    """The first `same` of `count` elements equal the previous request, `same_bytes` of `bytes`.

    `is_extension`: they are all of the previous request. The first different element is number
    `place` (from 1) of `section`; both are empty if there is none.
    """

    same: int
    count: int
    same_bytes: int
    bytes: int
    is_extension: bool
    section: str = ""
    place: int = 0

    @property
    def percent(self) -> float:
        return self.same_bytes * 100 / self.bytes if self.bytes else 0.0

    @property
    def element(self) -> str:
        """The first different element: `message 7`, `tool 2`."""
        return (
            f"{_WHERE.get(self.section, gettext('message'))} {self.place}" if self.section else ""
        )

    @property
    def is_message(self) -> bool:
        return self.section in ("messages", "input")


def read_prefix_match(
    request: Payload, before: Payload, sizes: dict[int, int]
) -> PrefixMatch | None:
    """None if either payload is damaged or has no elements. `sizes` in bytes, by ordinal."""
    try:
        now, earlier = payloads.read_manifest(request), payloads.read_manifest(before)
    except PayloadCorrupt:
        return None
    return compare(in_wire_order(now), in_wire_order(earlier), sizes)


def compare(
    now: list[tuple[str, int]], before: list[tuple[str, int]], sizes: dict[int, int]
) -> PrefixMatch | None:
    if not now or not before:
        return None
    pairs = zip(now, before, strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    section, place = "", 0
    if same < len(now):
        section = now[same][0]
        place = 1 + sum(1 for name, _ in now[:same] if name == section)
    return PrefixMatch(
        same=same,
        count=len(now),
        same_bytes=sum(sizes.get(ordinal, 0) for _, ordinal in now[:same]),
        bytes=sum(sizes.get(ordinal, 0) for _, ordinal in now),
        is_extension=same == len(before),
        section=section,
        place=place,
    )


def in_wire_order(manifest: Manifest) -> list[tuple[str, int]]:
    """Section and ordinal of each element, in the order of the prompt."""
    names = ("tools", "functions", "system", "messages", "input")
    return [(name, ordinal) for name in names for ordinal in manifest.section(name)]


def cached_share(generation: Span) -> tuple[int, float] | None:
    """Tokens from the cache that the provider reports, and their percentage of the prompt; None if
    it reports none."""
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
