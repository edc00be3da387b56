"""The context as a budget: what a request's bytes and tokens went into.

Sizes are those of the blobs that make up the body; contents are read as far as they tell what an
element is. A provider reports the tokens of the whole prompt only, so each part's tokens are its
share of the bytes: an estimate, and a bad one for images, whose tokens do not follow their bytes.
"""

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import TextChoices

from tracing import payloads
from tracing.errors import PayloadCorrupt
from tracing.journal import tokens
from tracing.ledger import WIDTH, shares
from tracing.manifests import Manifest
from tracing.models import Payload, Span

# What is longer is told by its size alone; reading it would cost more than it tells.
MOST_BYTES = 64 * 1024
# Sections whose elements need not be read.
TOLD = ("tools", "functions", "system")
NOTHING = Manifest([b""], [], [])
_ROLE = re.compile(rb'"role"\s*:\s*"(\w{1,20})"')
_RESULT = re.compile(rb'"type"\s*:\s*"(?:tool_result|function_call_output)"|<tool_response>')
_IMAGE = re.compile(rb'"type"\s*:\s*"(?:image|image_url|input_image)"')
_TEXT = re.compile(rb'"(?:system|instructions)"\s*:\s*$')


class Part(TextChoices):
    """In the order in which they are told."""

    SYSTEM = "system", "system prompt"
    TOOLS = "tools", "tool definitions"
    HISTORY = "history", "history"
    RESULTS = "results", "tool results"
    QUESTION = "question", "the question"
    IMAGES = "images", "images"
    OTHER = "other", "parameters and punctuation"


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
    `grown` is how many tokens more than in the request before. `cut` counts the tool results of
    which the model was not shown all. `sizes` are those of all elements, by ordinal."""

    bytes: int
    tokens: int
    window: int
    grown: int | None
    items: list[Item]
    cut: int
    sizes: dict[int, int]

    @property
    def filled(self) -> float | None:
        """Percent of the context window."""
        return self.tokens * 100 / self.window if self.window and self.tokens else None


def read_budget(
    generation: Span, request: Payload, meant: Payload | None, before: Span | None
) -> Budget | None:
    """None if the request is damaged. `meant` is the generation's `input`. Two queries."""
    try:
        asked = payloads.read_manifest(request)
        told = payloads.read_manifest(meant) if meant else NOTHING
        elements = _Elements(request.span.trace.archive_id, asked, told)
    except PayloadCorrupt:
        return None
    used = tokens(generation, "prompt_tokens")
    earlier = tokens(before, "prompt_tokens") if before else 0
    window = generation.attributes.get("context_window")
    return Budget(
        bytes=request.size,
        tokens=used,
        window=window if isinstance(window, int) and window > 0 else 0,
        grown=used - earlier if used and earlier else None,
        items=_items(_measured(request.size, asked, told, elements), used),
        sizes=elements.sizes,
        cut=sum(1 for ordinal in told.section("messages") if _is_cut(elements.content(ordinal))),
    )


class _Elements:
    """Sizes of the elements of a request and of what was meant by it; contents of short ones,
    where the section does not tell what an element is."""

    def __init__(self, archive: int, asked: Manifest, told: Manifest) -> None:
        self.sizes = payloads.blob_sizes(archive, [*asked.ordinals, *told.ordinals])
        sent = set(asked.ordinals)
        wanted = {
            *_untold(asked),
            *told.section("messages")[:1],
            *(ordinal for ordinal in told.section("messages") if ordinal not in sent),
        }
        short = [ordinal for ordinal in wanted if self.size(ordinal) <= MOST_BYTES]
        self._contents = payloads.load_blobs(archive, short)

    def size(self, ordinal: int) -> int:
        return self.sizes.get(ordinal, 0)

    def content(self, ordinal: int) -> bytes | None:
        return self._contents.get(ordinal)


def _untold(manifest: Manifest) -> list[int]:
    entries = zip(manifest.ordinals, manifest.sections, strict=True)
    return [ordinal for ordinal, section in entries if section not in TOLD]


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


def _measured(size: int, asked: Manifest, told: Manifest, elements: _Elements) -> dict[Part, int]:
    """Bytes by part; together they are the size of the request."""
    found: Counter[Part] = Counter()
    kinds = classify(asked, elements.content)
    for part, ordinal in zip(kinds, asked.ordinals, strict=True):
        found[part] += elements.size(ordinal)
    if told.section("tools") and not found[Part.TOOLS]:
        _move_written_tools(found, told, elements)
    found[Part.OTHER] += size - sum(found.values())
    return {part: count for part, count in found.items() if count > 0}


def classify(manifest: Manifest, content_of: Callable[[int], bytes | None]) -> list[Part]:
    """The part that each blob of a request belongs to. What is too long to be read is a result:
    that is the rule for what is long."""
    kinds, before = [], b""
    for gap, ordinal, section in zip(
        manifest.gaps, manifest.ordinals, manifest.sections, strict=False
    ):
        content = content_of(ordinal)
        kinds.append(_kind(section, content, before + gap))
        before = (content or b"")[-40:]
    questions = [place for place, kind in enumerate(kinds) if kind == Part.QUESTION]
    for place in questions[:-1]:
        kinds[place] = Part.HISTORY
    return kinds


def _kind(section: str, content: bytes | None, before: bytes) -> Part:
    if section in ("tools", "functions"):
        return Part.TOOLS
    if section == "system" or (not section and _TEXT.search(before)):
        return Part.SYSTEM
    if not section:
        return Part.OTHER
    if content is None:
        return Part.RESULTS
    return _kind_of_message(content)


def _kind_of_message(content: bytes) -> Part:
    found = _ROLE.search(content)
    role = found[1].decode() if found else ""
    if role in ("system", "developer"):
        return Part.SYSTEM
    if role in ("tool", "function") or _RESULT.search(content):
        return Part.RESULTS
    if _IMAGE.search(content):
        return Part.IMAGES
    return Part.QUESTION if role == "user" else Part.HISTORY


def _move_written_tools(found: Counter[Part], told: Manifest, elements: _Elements) -> None:
    """Where a dialect wrote the definitions of the tools into the system prompt, what it wrote is
    what the prompt has more than was meant."""
    first = told.section("messages")[:1]
    own = sum(map(elements.size, first)) if _begins_with_system(first, elements) else 0
    written = max(0, found[Part.SYSTEM] - own)
    found[Part.TOOLS] += written
    found[Part.SYSTEM] -= written


def _begins_with_system(first: list[int], elements: _Elements) -> bool:
    contents = map(elements.content, first)
    return any(some is not None and _kind_of_message(some) == Part.SYSTEM for some in contents)


def _is_cut(content: bytes | None) -> bool:
    if content is None or b'"is_cut"' not in content:
        return False
    try:
        message = json.loads(content)
    except (ValueError, RecursionError):
        return False
    return isinstance(message, dict) and message.get("is_cut") is True
