"""The context as a budget: what a request's bytes and tokens went into.

Sizes are those of the blobs that make up the body; contents are read as far as they tell what an
element is (`message_kinds`). A provider reports the tokens of the whole prompt only, so the tokens
of a part are its share of the bytes: an estimate, and a bad one for images, whose tokens do not
follow their bytes.
"""

import re
from collections import Counter
from dataclasses import dataclass

from limits.traces import MAX_SYSTEM_PROMPT_KEY_BYTES
from tracing.errors import PayloadCorrupt
from tracing.journal.trace_rounds import tokens
from tracing.models import Archive, Payload, Span
from tracing.models.attributes import generation_attributes
from tracing.page.budget.context_window import window_source
from tracing.page.budget.message_kinds import Note, Part, notes_of
from tracing.page.timeline.time_ledger import WIDTH, shares
from tracing.store import payloads
from tracing.store.manifests import Manifest

NOTHING = Manifest([b""], [], [])
_TEXT = re.compile(rb'"(?:system|instructions)"\s*:\s*$')


@dataclass(frozen=True)
class Item:
    """`tokens` are None if the provider did not report any; `x` and `width` are thousandths."""

    part: Part
    bytes: int
    tokens: int | None
    tenths: int
    x: float
    width: float

    @property
    def label(self) -> str:
        return str(self.part.label)

    @property
    def share(self) -> str:
        return f"{self.tenths / 10:.1f} %" if self.tenths else "< 0.1 %"


@dataclass(frozen=True)
class Budget:
    """`items` sum to `bytes`, and their tokens to `tokens`. `window` is in tokens, 0 if unknown,
    and `source` says whose word that is; `grown` is how many tokens more than in the request
    before. `cut` counts the tool results of which the model was not shown all. `sizes` are those of
    all elements, by ordinal."""

    bytes: int
    tokens: int
    window: int
    grown: int | None
    items: list[Item]
    cut: int
    sizes: dict[int, int]
    source: str = ""

    @property
    def filled(self) -> float | None:
        """Percent of the context window."""
        return self.tokens * 100 / self.window if self.window and self.tokens else None


@dataclass(frozen=True)
class _Known:
    """Of the elements of a request and of what was meant by it: sizes, what each message is, and
    the texts between the lists."""

    sizes: dict[int, int]
    notes: dict[int, Note]
    texts: dict[int, bytes]

    def size(self, ordinal: int) -> int:
        return self.sizes.get(ordinal, 0)


def read_budget(
    archive: Archive,
    generation: Span,
    request: Payload,
    meant: Payload | None,
    before: Span | None,
) -> Budget | None:
    """None if the request is damaged. `meant` is the generation's `input`."""
    try:
        asked = payloads.read_manifest(request)
        told = payloads.read_manifest(meant) if meant else NOTHING
        known = _know(archive, asked, told)
    except PayloadCorrupt:
        return None
    used = tokens(generation, "prompt_tokens")
    earlier = tokens(before, "prompt_tokens") if before else 0
    window = generation_attributes(generation).get("context_window")
    return Budget(
        bytes=request.size,
        tokens=used,
        window=window if isinstance(window, int) and window > 0 else 0,
        grown=used - earlier if used and earlier else None,
        items=_items(_measured(request.size, asked, told, known), used),
        sizes=known.sizes,
        cut=sum(1 for ordinal in told.section("messages") if known.notes[ordinal].is_cut),
        source=window_source(generation.attributes),
    )


def _know(archive: Archive, asked: Manifest, told: Manifest) -> _Known:
    sizes = payloads.blob_sizes(archive.pk, [*asked.ordinals, *told.ordinals])
    messages = {
        ordinal
        for manifest in (asked, told)
        for name in ("messages", "input")
        for ordinal in manifest.section(name)
    }
    short = [
        ordinal
        for ordinal in asked.section("")
        if sizes.get(ordinal, 0) <= MAX_SYSTEM_PROMPT_KEY_BYTES
    ]
    texts = payloads.load_blobs(archive.pk, short) if short else {}
    return _Known(sizes, notes_of(archive, messages), texts)


def _items(parts: dict[Part, int], used: int) -> list[Item]:
    sizes = [parts[part] for part in Part if parts.get(part)]
    counts = shares(sizes, used) if used else [None for _ in sizes]
    whole, passed, items = sum(sizes), 0, []
    named = [part for part in Part if parts.get(part)]
    for part, size, count, tenths in zip(named, sizes, counts, shares(sizes, 1000), strict=True):
        x, width = round(passed * WIDTH / whole, 1), round(size * WIDTH / whole, 1)
        items.append(Item(part, size, count, tenths, x, width))
        passed += size
    return items


def _measured(size: int, asked: Manifest, told: Manifest, known: _Known) -> dict[Part, int]:
    """Bytes by part; together they are the size of the request."""
    found: Counter[Part] = Counter()
    for part, ordinal in zip(_parts(asked, known), asked.ordinals, strict=True):
        found[part] += known.size(ordinal)
    if told.section("tools") and not found[Part.TOOLS]:
        _move_written_tools(found, told, known)
    found[Part.OTHER] += size - sum(found.values())
    return {part: count for part, count in found.items() if count > 0}


def _parts(manifest: Manifest, known: _Known) -> list[Part]:
    """The part that each blob of a request belongs to."""
    parts, before = [], b""
    for gap, ordinal, section in zip(
        manifest.gaps, manifest.ordinals, manifest.sections, strict=False
    ):
        parts.append(_part(section, ordinal, before + gap, known))
        before = known.texts.get(ordinal, b"")[-40:]
    questions = [place for place, part in enumerate(parts) if part == Part.QUESTION]
    for place in questions[:-1]:
        parts[place] = Part.HISTORY
    return parts


def _part(section: str, ordinal: int, before: bytes, known: _Known) -> Part:
    if section in ("tools", "functions"):
        return Part.TOOLS
    if section == "system" or (not section and _TEXT.search(before)):
        return Part.SYSTEM
    return known.notes[ordinal].part if section else Part.OTHER


def _move_written_tools(found: Counter[Part], told: Manifest, known: _Known) -> None:
    """Where a dialect wrote the definitions of the tools into the system prompt, what it wrote is
    what the prompt has more than was meant."""
    first = told.section("messages")[:1]
    meant = [ordinal for ordinal in first if known.notes[ordinal].part == Part.SYSTEM]
    written = max(0, found[Part.SYSTEM] - sum(map(known.size, meant)))
    found[Part.TOOLS] += written
    found[Part.SYSTEM] -= written
