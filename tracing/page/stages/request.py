"""The view of an input or request: messages, tools, parameters.

Manifests tell which messages are the same as in the baseline, so only the messages on the page are
loaded: opening the last of 500 rounds reads a few blobs.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from typing import Any, ClassVar

from db.fields import dump_json
from limits.trace_pages import MAX_REQUEST
from tracing.diff.list_diff import ListChange, diff_lists
from tracing.formatting.json_text import FOLD
from tracing.models import Payload
from tracing.page.stages.message_changes import CompactedMessages, Element, read_changed
from tracing.page.stages.messages import MessageView, message_view, read_message_view, shorter
from tracing.page.stages.request_lists import ParameterLine, ToolLine, parameter_lines, tool_lines
from tracing.store import payloads
from tracing.store.elements import SECTIONS
from tracing.store.manifests import Manifest
from tracing.store.ranges import Body

PAGE_SIZE = 100
_MIN_CHARACTERS = 1_500
# Stands for an element in the JSON that is parsed for the parameters.
_PLACEHOLDER = b"0"


@dataclass(frozen=True)
class Fold:
    """Unchanged messages, as one line."""

    count: int


Item = MessageView | Fold | CompactedMessages


@dataclass
class RequestView:
    """Messages in order, the `page`-th of `pages` in a long list; tools and parameters."""

    template: ClassVar[str] = "tracing/stages/_request.html"

    messages: int
    items: list[Item] = field(default_factory=list)
    page: int = 1
    pages: int = 1
    tools: list[ToolLine] = field(default_factory=list)
    parameters: list[ParameterLine] = field(default_factory=list)

    @property
    def folded(self) -> int:
        return sum(item.count for item in self.items if isinstance(item, Fold))

    @property
    def entries(self) -> list[MessageView]:
        return [item for item in self.items if isinstance(item, MessageView)]

    @property
    def tools_changed(self) -> bool:
        return any(tool.change for tool in self.tools)

    @property
    def tools_given(self) -> int:
        return sum(tool.change != "removed" for tool in self.tools)

    @property
    def parameters_changed(self) -> bool:
        return any(line.change for line in self.parameters)


def read_request_view(
    payload: Payload,
    before: Payload | None,
    unfold: bool,
    page: int = 1,
    recorded: Collection[str] = (),
) -> RequestView | None:
    """The view of the payload, with changes since `before`; `recorded` are the layers of the
    compactions since then.

    None if the payload has no messages. Raises PayloadCorrupt.
    """
    manifest = payloads.read_manifest(payload)
    earlier = payloads.read_manifest(before) if before else None
    archive_id = payload.span.trace.archive_id
    blobs = _blobs_beside(archive_id, [table for table in (manifest, earlier) if table])
    rest = read_rest(manifest, blobs)
    if not section_of_messages(manifest) or rest is None:
        return None
    rest_before = read_rest(earlier, blobs) if earlier else None
    view = RequestView(len(messages_of(manifest)))
    _add_system_text(view, rest, rest_before)
    view.parameters = parameter_lines(rest, rest_before)
    view.tools = tool_lines(blobs, _tools(manifest), _tools(earlier) if earlier else None)
    for read in (_system, messages_of):
        steps = diff_lists(read(earlier) if earlier else [], read(manifest))
        role = "system" if read is _system else ""
        _add_items(view, archive_id, steps, unfold, earlier is not None, role, page, recorded)
    _shorten(view, payload)
    return view


def fold_unchanged(payload: Payload, before: Payload) -> bytes | None:
    """The payload's JSON, each run of unchanged messages replaced by `FOLD` and their number.

    None if all messages changed. Raises PayloadCorrupt.
    """
    manifest = payloads.read_manifest(payload)
    steps = diff_lists(messages_of(payloads.read_manifest(before)), messages_of(manifest))
    same = [step for step in steps if step.change == "same"]
    if not same:
        return None
    first = manifest.sections.index(section_of_messages(manifest))
    runs = {first + step.start: len(step.ordinals) for step in same}
    hidden = {place for start, count in runs.items() for place in range(start, start + count)}
    ordinals = [o for place, o in enumerate(manifest.ordinals) if place not in hidden]
    blobs = payloads.load_blobs(payload.span.trace.archive_id, ordinals)
    return b"".join(_folded(manifest, runs, hidden, blobs))


def messages_of(manifest: Manifest) -> list[int]:
    return manifest.section(section_of_messages(manifest))


def section_of_messages(manifest: Manifest) -> str:
    """The name of the list of messages; empty if there is none."""
    return next((name for name in ("messages", "input") if name in manifest.sections), "")


def read_rest(manifest: Manifest, blobs: Mapping[int, bytes]) -> dict[str, Any] | None:
    """The members of the body without the lists; None if it is no such request."""
    parts = [
        _PLACEHOLDER if section else blobs.get(ordinal, _PLACEHOLDER)
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


def _blobs_beside(archive_id: int, tables: Iterable[Manifest]) -> dict[int, bytes]:
    """The blobs besides messages: texts between elements, and tools."""
    ordinals = [o for table in tables for o in (*table.section(""), *_tools(table))]
    return payloads.load_blobs(archive_id, ordinals)


def _folded(
    manifest: Manifest, runs: dict[int, int], hidden: set[int], blobs: dict[int, bytes]
) -> Iterator[bytes]:
    for place, (gap, ordinal) in enumerate(zip(manifest.gaps, manifest.ordinals, strict=False)):
        if place in runs:
            yield gap + f"{FOLD}{runs[place]}".encode()
        elif place not in hidden:
            yield gap + blobs.get(ordinal, b"")
    yield manifest.gaps[-1]


def _system(manifest: Manifest) -> list[int]:
    """Blocks of a system prompt outside the messages."""
    return manifest.section("system")


def _tools(manifest: Manifest) -> list[int]:
    return [*manifest.section("tools"), *manifest.section("functions")]


def _is_list(key: str, value: Any) -> bool:
    return key in SECTIONS and isinstance(value, list)


def _is_cut_at_each(body: dict[str, Any], manifest: Manifest) -> bool:
    """Whether every element of the lists is a blob (short texts stay in the gaps)."""
    in_lists = sum(len(value) for key, value in body.items() if _is_list(key, value))
    return in_lists == sum(1 for section in manifest.sections if section)


def _add_system_text(
    view: RequestView, rest: dict[str, Any], before: dict[str, Any] | None
) -> None:
    """Adds Anthropic's `system` if it is a text and not a list."""
    text, was = rest.pop("system", None), (before or {}).pop("system", None)
    if isinstance(text, str) and isinstance(was, str) and text != was:
        old, new = (Element(0, _system_message(one)) for one in (was, text))
        view.items += read_changed([old], [new], "", is_followed=True)
    elif isinstance(text, str) and text == was:
        view.items.append(Fold(1))
    elif isinstance(text, str):
        message = {"role": "system", "content": text}
        view.items.append(
            message_view(message, 0, "added" if before is not None else "", len(text))
        )
    elif text is not None:
        rest["system"] = text


def _system_message(text: str) -> bytes:
    return dump_json({"role": "system", "content": text}).encode()


def _add_items(
    view: RequestView,
    archive_id: int,
    steps: list[ListChange],
    unfold: bool,
    compared: bool,
    role: str,
    page: int,
    recorded: Collection[str],
) -> None:
    """Adds a page of items; loads only its elements."""
    listed = [step for step in steps if unfold or step.change != "same"]
    count = sum(len(step.ordinals) for step in listed)
    view.pages = max(view.pages, -(-count // PAGE_SIZE))
    view.page = min(max(1, page), view.pages)
    window = _window(steps, listed, (view.page - 1) * PAGE_SIZE)
    read = [step for step in window if unfold or step.change != "same"]
    blobs = payloads.load_blobs(archive_id, [o for step in read for o in step.ordinals])
    runs = [list(group) for _, group in groupby(window, key=lambda step: step.change == "same")]
    for place, run in enumerate(runs):
        if run[0].change != "same":
            is_followed = place < len(runs) - 1
            view.items += _changed(run, blobs, compared, role, is_followed, recorded)
            continue
        for step in run:
            if unfold:
                view.items += _entries(step, blobs, "same" if compared else "", role)
            else:
                view.items.append(Fold(len(step.ordinals)))


def _window(
    steps: Sequence[ListChange], listed: Sequence[ListChange], start: int
) -> list[ListChange]:
    """The steps of one page: listed ones cut to it, and the folds between them."""
    window, at = [], 0
    for step in steps:
        if step not in listed:
            if start <= at <= start + PAGE_SIZE:
                window.append(step)
            continue
        first, last = max(0, start - at), min(len(step.ordinals), start + PAGE_SIZE - at)
        if first < last:
            cut = step.ordinals[first:last]
            window.append(ListChange(step.change, step.start + first, cut))
        at += len(step.ordinals)
    return window


def _changed(
    run: Sequence[ListChange],
    blobs: dict[int, bytes],
    compared: bool,
    role: str,
    is_followed: bool,
    recorded: Collection[str],
) -> Iterable[Item]:
    removed = [element for step in run if step.change == "removed" for element in _of(step, blobs)]
    added = [element for step in run if step.change == "added" for element in _of(step, blobs)]
    if removed and added:
        return read_changed(removed, added, role, is_followed, recorded)
    return [entry for step in run for entry in _entries(step, blobs, _change(step, compared), role)]


def _change(step: ListChange, compared: bool) -> str:
    return step.change if compared else ""


def _of(step: ListChange, blobs: dict[int, bytes]) -> Iterator[Element]:
    for place, ordinal in enumerate(step.ordinals, step.start + 1):
        if ordinal in blobs:
            yield Element(place, blobs[ordinal])


def _entries(
    step: ListChange, blobs: dict[int, bytes], change: str, role: str
) -> Iterator[MessageView]:
    for element in _of(step, blobs):
        yield read_message_view(element.content, 0 if role else element.position, change, role)


def _shorten(view: RequestView, payload: Payload) -> None:
    """Divides MAX_REQUEST characters among the messages; sets the first byte of those that are
    cut."""
    most = max(_MIN_CHARACTERS, MAX_REQUEST // max(1, len(view.entries)))
    cut = [shorter(item, most) if isinstance(item, MessageView) else item for item in view.items]
    if any(isinstance(item, MessageView) and item.is_clipped for item in cut):
        starts = _starts(payload)
        cut = [_placed(item, starts) if isinstance(item, MessageView) else item for item in cut]
    view.items = cut


def _placed(entry: MessageView, starts: Sequence[int]) -> MessageView:
    if entry.change == "removed" or not 0 < entry.position <= len(starts):
        return entry
    return replace(entry, at=starts[entry.position - 1])


def _starts(payload: Payload) -> list[int]:
    """The byte at which each message begins."""
    pieces = Body(payload).segments
    return [piece.start for piece in pieces if piece.section in ("messages", "input")]
