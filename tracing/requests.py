"""What a model was given, as the page shows it: messages, tools, parameters.

Manifests say which messages are the same as in an earlier request, so that only what is shown is
loaded: opening the last of 500 rounds reads a few blobs.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from tracing import payloads
from tracing.differences import Step, compare
from tracing.elements import SECTIONS
from tracing.entries import Entry, entry_of, read_entry, tool_name
from tracing.fields import dump_json
from tracing.json_text import FOLD
from tracing.manifests import Manifest
from tracing.models import Payload
from tracing.text import clip

MOST_ENTRIES = 200
MOST_CHARACTERS = 200_000
# Where a part of the body stands in the skeleton that is parsed for the parameters.
_PLACEHOLDER = b"0"


@dataclass(frozen=True)
class Fold:
    """Messages that are as they were, in one line."""

    count: int


@dataclass
class Given:
    """`items` are entries and folds in order, `left_out` counts entries beyond what fits."""

    messages: int
    items: list[Entry | Fold] = field(default_factory=list)
    left_out: int = 0
    tools: list[str] = field(default_factory=list)
    tools_changed: bool = False
    parameters: str = ""

    @property
    def folded(self) -> int:
        return sum(item.count for item in self.items if isinstance(item, Fold))


def read_given(payload: Payload, before: Payload | None, unfold: bool) -> Given | None:
    """What the payload gives to the model, changes since `before` marked.

    None if it is no request with messages. Raises PayloadCorrupt.
    """
    manifest = payloads.read_manifest(payload)
    messages = _messages(manifest)
    archive_id = payload.span.trace.archive_id
    rest = _rest(manifest, payloads.load_blobs(archive_id, manifest.section("")))
    if not messages or rest is None:
        return None
    earlier = payloads.read_manifest(before) if before else None
    tools = _tools(manifest)
    given = Given(len(messages))
    given.tools_changed = earlier is not None and _tools(earlier) != tools
    definitions = payloads.load_blobs(archive_id, tools)
    given.tools = [tool_name(definitions[ordinal]) for ordinal in tools if ordinal in definitions]
    _add_system_text(given, rest)
    given.parameters = clip(dump_json(rest), MOST_CHARACTERS).text if rest else ""
    for read in (_system, _messages):
        steps = compare(read(earlier) if earlier else [], read(manifest))
        role = "system" if read is _system else ""
        _add_items(given, archive_id, steps, unfold, compared=earlier is not None, role=role)
    return given


def fold_unchanged(payload: Payload, before: Payload) -> bytes | None:
    """The payload's JSON, each run of messages that are as they were as `FOLD` and their number.

    None if nothing is to be folded. Raises PayloadCorrupt.
    """
    manifest = payloads.read_manifest(payload)
    steps = compare(_messages(payloads.read_manifest(before)), _messages(manifest))
    same = [step for step in steps if step.change == "same"]
    if not same:
        return None
    first = manifest.sections.index(_section(manifest))
    runs = {first + step.start: len(step.ordinals) for step in same}
    hidden = {place for start, count in runs.items() for place in range(start, start + count)}
    shown = [o for place, o in enumerate(manifest.ordinals) if place not in hidden]
    blobs = payloads.load_blobs(payload.span.trace.archive_id, shown)
    return b"".join(_folded(manifest, runs, hidden, blobs))


def _folded(
    manifest: Manifest, runs: dict[int, int], hidden: set[int], blobs: dict[int, bytes]
) -> Iterator[bytes]:
    for place, (gap, ordinal) in enumerate(zip(manifest.gaps, manifest.ordinals, strict=False)):
        if place in runs:
            yield gap + f"{FOLD}{runs[place]}".encode()
        elif place not in hidden:
            yield gap + blobs.get(ordinal, b"")
    yield manifest.gaps[-1]


def _messages(manifest: Manifest) -> list[int]:
    return manifest.section(_section(manifest))


def _section(manifest: Manifest) -> str:
    return "messages" if "messages" in manifest.sections else "input"


def _system(manifest: Manifest) -> list[int]:
    """The blocks of a system text that stands apart from the messages."""
    return manifest.section("system")


def _tools(manifest: Manifest) -> list[int]:
    return [*manifest.section("tools"), *manifest.section("functions")]


def _rest(manifest: Manifest, others: dict[int, bytes]) -> dict[str, Any] | None:
    """Everything but the lists; None if the body is no such request."""
    parts = [
        _PLACEHOLDER if section else others.get(ordinal, _PLACEHOLDER)
        for ordinal, section in zip(manifest.ordinals, manifest.sections, strict=True)
    ]
    pairs = zip(manifest.gaps, [*parts, b""], strict=True)
    skeleton = b"".join(chain.from_iterable(pairs))
    try:
        body = json.loads(skeleton)
    except (ValueError, RecursionError):
        return None
    if not isinstance(body, dict) or not _is_cut_at_each(body, manifest):
        return None
    return {key: value for key, value in body.items() if not _is_list(key, value)}


def _is_list(key: str, value: Any) -> bool:
    return key in SECTIONS and isinstance(value, list)


def _is_cut_at_each(body: dict[str, Any], manifest: Manifest) -> bool:
    """Whether every element of the lists is a blob (short texts stay in the gaps)."""
    in_lists = sum(len(value) for key, value in body.items() if _is_list(key, value))
    return in_lists == sum(1 for section in manifest.sections if section)


def _add_system_text(given: Given, rest: dict[str, Any]) -> None:
    """Anthropic's `system` may be a text in place of a list."""
    if isinstance(rest.get("system"), str):
        text = rest.pop("system")
        given.items.append(entry_of({"role": "system", "content": text}, 0, "", len(text)))


def _add_items(
    given: Given, archive_id: int, steps: list[Step], unfold: bool, compared: bool, role: str
) -> None:
    shown = [step for step in steps if unfold or step.change != "same"]
    wanted = [ordinal for step in shown for ordinal in step.ordinals]
    blobs = payloads.load_blobs(archive_id, wanted[:MOST_ENTRIES])
    characters = 0
    for step in steps:
        if step not in shown:
            given.items.append(Fold(len(step.ordinals)))
            continue
        for entry in _entries(step, blobs, compared, role):
            characters += len(entry.content.text) + len(entry.reasoning.text)
            if characters < MOST_CHARACTERS:
                given.items.append(entry)
            else:
                given.left_out += 1
    given.left_out += len(wanted[MOST_ENTRIES:])


def _entries(step: Step, blobs: dict[int, bytes], compared: bool, role: str) -> Iterator[Entry]:
    for place, ordinal in enumerate(step.ordinals, step.start + 1):
        if ordinal in blobs:
            change = step.change if compared else ""
            yield read_entry(blobs[ordinal], 0 if role else place, change, role)
