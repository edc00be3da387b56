"""The compact form of a trace's JSON (`docs/trace-json.md`): a repeated element stands once.

Each request repeats the messages of the request before it, and the archive stores them as elements
(`tracing.store.payloads`). In this form an element's text stands in the round in which it first
occurs, numbered through the document, and a body is a list of pieces: text, or `[first, last]`, a
range of elements with commas between them. The pieces joined in order are the body.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from math import isfinite
from typing import NoReturn

from tracing.errors import PayloadCorrupt
from tracing.models import Payload
from tracing.store import payloads
from tracing.store.manifests import Manifest

# The stages that repeat earlier messages.
STAGES = (Payload.Stage.INPUT, Payload.Stage.REQUEST)

Key = tuple[int, str]
Pieces = list[str | list[int]]


class Elements:
    """The elements of one document, in the order in which they occur."""

    def __init__(self) -> None:
        self._contents: dict[int, bytes] = {}
        self._numbers: dict[int, int] = {}
        self._plain: dict[int, bool] = {}
        self._new: list[str] = []

    def take(self, rows: Mapping[Key, Payload]) -> dict[Key, Pieces]:
        """The pieces of these payloads; those without elements, or damaged, are left out."""
        manifests = dict(_manifests(rows))
        try:
            self._load(rows, manifests.values())
        except PayloadCorrupt:
            return {}
        return {
            key: self._pieces(manifest)
            for key, manifest in manifests.items()
            if self._is_intact(rows[key], manifest)
        }

    def new_texts(self) -> list[str]:
        """The texts of the elements that are new since the last call."""
        texts, self._new = self._new, []
        return texts

    def _load(self, rows: Mapping[Key, Payload], manifests: Iterable[Manifest]) -> None:
        ordinals = {ordinal for manifest in manifests for ordinal in manifest.ordinals}
        missing = ordinals - self._contents.keys()
        if missing:
            payload = next(iter(rows.values()))
            self._contents |= payloads.load_blobs(payload.span.trace.archive_id, missing)

    def _is_intact(self, payload: Payload, manifest: Manifest) -> bool:
        """Whether the elements give the recorded bytes, and those are text; of an input also
        whether it is JSON that every parser reads alike."""
        try:
            body = manifest.join(self._contents)
            body.decode()
        except (KeyError, UnicodeDecodeError):
            return False
        if sha256(body).digest() != bytes(payload.sha256):
            return False
        return payload.stage != Payload.Stage.INPUT or self._is_plain(manifest)

    def _is_plain(self, manifest: Manifest) -> bool:
        for ordinal in manifest.ordinals:
            if ordinal not in self._plain:
                self._plain[ordinal] = is_plain(self._contents[ordinal])
        frame = b"null".join(manifest.gaps)
        return is_plain(frame) and all(self._plain[ordinal] for ordinal in manifest.ordinals)

    def _pieces(self, manifest: Manifest) -> Pieces:
        pieces: Pieces = []
        for gap, ordinal in zip(manifest.gaps[:-1], manifest.ordinals, strict=True):
            number = self._number(ordinal)
            last = pieces[-1] if pieces else None
            if gap == b"," and isinstance(last, list) and last[1] + 1 == number:
                last[1] = number
            else:
                pieces += [gap.decode(), [number, number]] if gap else [[number, number]]
        end = manifest.gaps[-1].decode()
        return [*pieces, end] if end else pieces

    def _number(self, ordinal: int) -> int:
        if ordinal not in self._numbers:
            self._numbers[ordinal] = len(self._numbers)
            self._new.append(self._contents[ordinal].decode())
        return self._numbers[ordinal]


def _manifests(rows: Mapping[Key, Payload]) -> Iterator[tuple[Key, Manifest]]:
    for key, payload in rows.items():
        if payload.stage in STAGES:
            with suppress(PayloadCorrupt):
                manifest = payloads.read_manifest(payload)
                if manifest.ordinals:
                    yield key, manifest


def is_plain(text: bytes) -> bool:
    """Whether this is JSON without what only some parsers accept: NaN, infinite numbers."""
    try:
        json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _finite(text: str) -> float:
    number = float(text)
    return number if isfinite(number) else _refuse(text)
