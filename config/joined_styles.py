"""Stylesheets that a page names together, as one file.

The page of a conversation has thirty, all of which a browser reads before it paints. Their address
names them in their order, so that nothing has to be built:
`css/joined/base.tokens~base.base.css` is `css/base/tokens.css` and `css/base/base.css`.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from django.contrib.staticfiles import finders

from limits.web import MAX_JOINED_STYLESHEETS

PREFIX = "css/joined/"
_NAME = r"[a-z_-]+(?:\.[a-z_-]+)+"
_NAMES = re.compile(rf"{PREFIX}({_NAME}(?:~{_NAME})*)\.css")


def joined_path(sheets: Sequence[str]) -> str:
    """The path below STATIC_URL of these stylesheets, each named as `base/tokens`."""
    return f"{PREFIX}{'~'.join(sheet.replace('/', '.') for sheet in sheets)}.css"


def read(path: str) -> bytes | None:
    """The file at a path below STATIC_URL; None if it names no stylesheets, or one that there is
    not."""
    match = _NAMES.fullmatch(path)
    names = match[1].split("~") if match else []
    if not 0 < len(names) <= MAX_JOINED_STYLESHEETS or len(set(names)) < len(names):
        return None
    files = [finders.find(f"css/{name.replace('.', '/')}.css") for name in names]
    if not all(isinstance(file, str) for file in files):
        return None
    return b"\n".join(Path(str(file)).read_bytes() for file in files)
