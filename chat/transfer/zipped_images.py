"""The images in the zip of a ChatGPT export, as attachments of an imported file.

A message names an image by `asset_pointer`: `file-service://file-<id>` or `sediment://file_<id>`.
Its file is `file-<id>-<name>`, in any folder of the zip.
"""

import base64
import json
import re
import uuid
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath

from limits.chat import MAX_IMAGE_BYTES

_ASSET = re.compile(r"file[-_][A-Za-z0-9]+")
_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_NAMESPACE = uuid.UUID("6c9b1df2-5d0e-4e0f-9d1a-3f2b7c8a4e51")


def attachment_id(pointer: str) -> str | None:
    """The id of the attachment that an asset pointer, or the name of a file, means."""
    found = _ASSET.match(pointer.rpartition("/")[2])
    return str(uuid.uuid5(_NAMESPACE, found.group())) if found else None


def as_attachments(archive: zipfile.ZipFile) -> Iterator[bytes]:
    """`{"attachments": […]}` in pieces, an image each; nothing without images."""
    members = [one for one in archive.infolist() if _is_image(one)]
    for place, about in enumerate(members):
        name = PurePosixPath(about.filename).name
        with archive.open(about) as file:
            content = file.read(MAX_IMAGE_BYTES + 1)  # what the zip says of its size may be wrong
        encoded = base64.b64encode(content).decode()
        own = {"id": attachment_id(name), "name": name, "base64": encoded}
        opening = "," if place else '{"attachments": ['
        yield f"{opening}{json.dumps(own)}".encode()
    if members:
        yield b"]}\n"


def is_read_by_pieces(about: zipfile.ZipInfo) -> bool:
    """Whether Python bounds what a piece of it unpacks to; not so for bzip2 and LZMA."""
    return about.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def _is_image(about: zipfile.ZipInfo) -> bool:
    name = about.filename.lower()
    is_named = name.endswith(_SUFFIXES) and attachment_id(about.filename) is not None
    return is_named and about.file_size <= MAX_IMAGE_BYTES and is_read_by_pieces(about)
