"""Paths in addresses, and names of uploads. A command may create names with any bytes except / and
NUL, so an address has the path percent-encoded byte by byte."""

import os
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from urllib.parse import parse_qs, quote

from django.http import HttpRequest
from django.utils.translation import gettext

from chat.errors import Rejected
from limits.files import MAX_FILE_NAME_BYTES

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")


def quoted(path: str) -> str:
    """The path as the value of a query parameter."""
    return quote(os.fsencode(path), safe="/")


def values(request: HttpRequest, parameter: str) -> list[str]:
    """The paths of a query parameter."""
    query = request.META.get("QUERY_STRING", "")
    try:
        fields = parse_qs(query, True, errors="surrogateescape", max_num_fields=200)
    except ValueError:
        return []
    return fields.get(parameter, [])


def path_of(request: HttpRequest) -> str:
    """`?path=`; "" is the workspace itself."""
    return next(iter(values(request, "path")), "")


def clean(name: str, spare: int = 0) -> str:
    """A file name from a browser's path, `spare` bytes shorter than a file system takes. Raises
    `Rejected`."""
    text = name.encode(errors="replace").decode().replace("\\", "/").rpartition("/")[2]
    name = _CONTROLS.sub(" ", text).strip()
    if name in ("", ".", ".."):
        raise Rejected(gettext("The file has no name. Give it one, and upload it again."))
    return _fitting(name, "", spare)


def others(name: str, spare: int = 0) -> Iterator[str]:
    """Alternative names for a file whose name is taken: `report (2).csv`, `report (3).csv`, …"""
    for number in range(2, 1_000):
        yield _fitting(name, f" ({number})", spare)


def _fitting(name: str, mark: str, spare: int = 0) -> str:
    """The name with `mark` before the extension, truncated to what a file system takes."""
    ending = PurePosixPath(name).suffix
    ending = ending if len(ending.encode()) <= 20 else ""
    room = MAX_FILE_NAME_BYTES - spare - len(f"{mark}{ending}".encode())
    stem = name.removesuffix(ending) if ending else name
    return stem.encode()[:room].decode(errors="ignore") + mark + ending
