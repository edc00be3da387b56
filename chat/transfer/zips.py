"""Many documents as one zip, written while it is sent."""

import zipfile
from collections.abc import Iterable, Iterator

from chat.files.downloads import ZipBuffer

Document = tuple[str, Iterable[str]]  # name, and text in parts


def zip_pieces(documents: Iterable[Document]) -> Iterator[bytes]:
    """A zip of these documents. A name that is taken gets a number."""
    buffer = ZipBuffer()
    taken: dict[str, int] = {}
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
        for name, texts in documents:
            with archive.open(_free(name, taken), "w", force_zip64=True) as target:
                for text in texts:
                    target.write(text.encode(errors="replace"))
                    if piece := buffer.taken():
                        yield piece
            yield buffer.taken()
    yield buffer.taken()


def _free(name: str, taken: dict[str, int]) -> str:
    key = name.lower()
    taken[key] = taken.get(key, 0) + 1
    if taken[key] == 1:
        return name
    stem, dot, end = name.rpartition(".")
    return _free(f"{stem} ({taken[key]}){dot}{end}", taken)
