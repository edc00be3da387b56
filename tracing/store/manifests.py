"""The manifest of a payload: the blobs of the archive that it is made of, and the gaps between.

A conversation of 500 rounds has manifests of up to 1,000 entries; as hashes, all of them together
would be many times the content. Blobs therefore have ordinals in the order in which they are
stored, and a manifest has the steps from one to the next: mostly the same few numbers, which
compress well.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, islice, pairwise

from tracing.store import compression, varints
from tracing.store.elements import SECTIONS

_FORMAT = 1
_SECTIONS = ("", *SECTIONS)


@dataclass(frozen=True)
class Manifest:
    """`gaps` has one more than `ordinals` and `sections`: gap, blob, gap, blob, …, gap."""

    gaps: list[bytes]
    ordinals: list[int]
    sections: list[str]

    def join(self, blobs: Mapping[int, bytes]) -> bytes:
        """The bytes of the payload. Raises KeyError for an ordinal without a blob."""
        contents = [blobs[ordinal] for ordinal in self.ordinals]
        return b"".join(chain.from_iterable(zip(self.gaps, [*contents, b""], strict=True)))

    def section(self, name: str) -> list[int]:
        """The ordinals of the elements of one list."""
        entries = zip(self.ordinals, self.sections, strict=True)
        return [ordinal for ordinal, section in entries if section == name]


@dataclass(frozen=True)
class Entries:
    """The beginning of a manifest as it is encoded: gap and blob of each of its entries. More are
    appended without encoding these again.

    `texts` are the distinct gaps, `places` the place of each gap among them, `steps` those from one
    ordinal to the next; `last` is the last ordinal.
    """

    count: int = 0
    texts: tuple[bytes, ...] = ()
    places: bytes = b""
    sections: bytes = b""
    steps: bytes = b""
    last: int = -1

    def extended(
        self, gaps: Sequence[bytes], ordinals: Sequence[int], sections: Sequence[str]
    ) -> "Entries":
        """With these at the end; all three are of one length."""
        texts = tuple(dict.fromkeys([*self.texts, *gaps]))
        places = {text: place for place, text in enumerate(texts)}
        return Entries(
            count=self.count + len(ordinals),
            texts=texts,
            places=self.places + varints.encode(places[gap] for gap in gaps),
            sections=self.sections + varints.encode(map(_SECTIONS.index, sections)),
            steps=self.steps + varints.encode(_steps(self.last, ordinals)),
            last=ordinals[-1] if ordinals else self.last,
        )

    def packed(self, last_gap: bytes) -> bytes:
        """The whole manifest, which ends with this gap."""
        texts = self.texts if last_gap in self.texts else (*self.texts, last_gap)
        head = [_FORMAT, self.count, len(texts), *map(len, texts)]
        place = varints.encode([texts.index(last_gap)])
        coded = b"".join([varints.encode(head), self.places, place, self.sections, self.steps])
        return compression.pack(b"".join([varints.encode([len(coded)]), coded, *texts]))


def encode(manifest: Manifest) -> bytes:
    """The manifest as it is stored."""
    *gaps, last_gap = manifest.gaps
    return Entries().extended(gaps, manifest.ordinals, manifest.sections).packed(last_gap)


def decode(packed: bytes) -> Manifest:
    """The inverse of `encode`. Raises ValueError for bytes that it did not write."""
    stream = iter(compression.unpack(packed))
    try:
        length = next(varints.decode(stream))
        numbers = list(varints.decode(islice(stream, length)))
        return _read(iter(numbers), bytes(stream))
    except (StopIteration, IndexError) as error:
        raise ValueError("the manifest is cut off or mixed up") from error


def _read(numbers: Iterator[int], texts: bytes) -> Manifest:
    form, count, text_count = next(numbers), next(numbers), next(numbers)
    if form != _FORMAT:
        raise ValueError(f"unknown format {form} of a manifest")
    ends = list(accumulate(islice(numbers, text_count)))
    table = [texts[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    gaps, sections = list(islice(numbers, count + 1)), list(islice(numbers, count))
    return Manifest(
        gaps=[table[place] for place in gaps],
        ordinals=_positions(numbers),
        sections=[_SECTIONS[place] for place in sections],
    )


def _steps(last: int, ordinals: Sequence[int]) -> Iterator[int]:
    """The difference of each ordinal from the one after its predecessor, of which the first is
    `last`."""
    for before, ordinal in pairwise([last, *ordinals]):
        yield varints.encode_signed(ordinal - before - 1)


def _positions(steps: Iterator[int]) -> list[int]:
    moves = (varints.decode_signed(step) + 1 for step in steps)
    return list(accumulate(moves, initial=-1))[1:]
