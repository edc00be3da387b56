"""The context budget: bytes and tokens of a request by part.

Sizes are those of the blobs of the body; contents are read only to classify an element
(`message_kinds`). A provider reports the tokens of the whole prompt only, so the tokens
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
    """`items` sum to `bytes`, and their tokens to `tokens`. `window` is in tokens, 0 if unknown;
    `source` says who states it. `grown`: tokens more than in the previous request. `cut` counts the
    tool results that were shortened. `sizes` are the bytes of all elements by ordinal."""

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
class _Elements:
    """Elements of a request and its input by ordinal: sizes, kinds of messages, texts between the
    lists."""

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
        manifest_sent = payloads.read_manifest(request)
        input_manifest = payloads.read_manifest(meant) if meant else NOTHING
        elements = _read_elements(archive, manifest_sent, input_manifest)
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
        items=_items(_bytes_by_part(request.size, manifest_sent, input_manifest, elements), used),
        sizes=elements.sizes,
        cut=sum(
            1 for ordinal in input_manifest.section("messages") if elements.notes[ordinal].is_cut
        ),
        source=window_source(generation.attributes),
    )


def _read_elements(
    archive: Archive, manifest_sent: Manifest, input_manifest: Manifest
) -> _Elements:
    sizes = payloads.blob_sizes(archive.pk, [*manifest_sent.ordinals, *input_manifest.ordinals])
    messages = {
        ordinal
        for manifest in (manifest_sent, input_manifest)
        for name in ("messages", "input")
        for ordinal in manifest.section(name)
    }
    short = [
        ordinal
        for ordinal in manifest_sent.section("")
        if sizes.get(ordinal, 0) <= MAX_SYSTEM_PROMPT_KEY_BYTES
    ]
    texts = payloads.load_blobs(archive.pk, short) if short else {}
    return _Elements(sizes, notes_of(archive, messages), texts)


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


def _bytes_by_part(
    size: int, manifest_sent: Manifest, input_manifest: Manifest, elements: _Elements
) -> dict[Part, int]:
    """Bytes by part; together they are the size of the request."""
    sizes_of_parts: Counter[Part] = Counter()
    for part, ordinal in zip(_parts(manifest_sent, elements), manifest_sent.ordinals, strict=True):
        sizes_of_parts[part] += elements.size(ordinal)
    if input_manifest.section("tools") and not sizes_of_parts[Part.TOOLS]:
        _move_written_tools(sizes_of_parts, input_manifest, elements)
    sizes_of_parts[Part.OTHER] += size - sum(sizes_of_parts.values())
    return {part: count for part, count in sizes_of_parts.items() if count > 0}


def _parts(manifest: Manifest, elements: _Elements) -> list[Part]:
    """The part of each blob of a request."""
    parts, before = [], b""
    for gap, ordinal, section in zip(
        manifest.gaps, manifest.ordinals, manifest.sections, strict=False
    ):
        parts.append(_part(section, ordinal, before + gap, elements))
        before = elements.texts.get(ordinal, b"")[-40:]
    questions = [place for place, part in enumerate(parts) if part == Part.QUESTION]
    for place in questions[:-1]:
        parts[place] = Part.HISTORY
    return parts


def _part(section: str, ordinal: int, before: bytes, elements: _Elements) -> Part:
    if section in ("tools", "functions"):
        return Part.TOOLS
    if section == "system" or (not section and _TEXT.search(before)):
        return Part.SYSTEM
    return elements.notes[ordinal].part if section else Part.OTHER


def _move_written_tools(
    sizes_of_parts: Counter[Part], input_manifest: Manifest, elements: _Elements
) -> None:
    """Counts as tools what a dialect added to the system prompt: the definitions of the tools."""
    first = input_manifest.section("messages")[:1]
    meant = [ordinal for ordinal in first if elements.notes[ordinal].part == Part.SYSTEM]
    written = max(0, sizes_of_parts[Part.SYSTEM] - sum(map(elements.size, meant)))
    sizes_of_parts[Part.TOOLS] += written
    sizes_of_parts[Part.SYSTEM] -= written
