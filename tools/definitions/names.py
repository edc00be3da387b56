"""The names under which servers' tools are offered to models.

Providers take `^[a-zA-Z0-9_-]{1,64}$`, servers take anything. `server-tool` stays as it is where it
fits and is free; else it is made of what fits of it and a hash of the exact names. What a tool was
offered as once is stored with it: the way back is a look-up, and no other tool changes it.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator

from limits.tools import MAX_TOOL_NAME

FITS = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_DIGITS = (8, 16, 40)


def candidates(server: str, tool: str) -> Iterator[str]:
    """Names for this tool, best first; the same ones every time."""
    plain = f"{server}-{tool}"
    if FITS.fullmatch(plain):
        yield plain
    digest = hashlib.sha256(f"{server}\0{tool}".encode(errors="surrogatepass")).hexdigest()
    for digits in _DIGITS:
        yield f"{_slug(plain)[: MAX_TOOL_NAME - 1 - digits]}-{digest[:digits]}"


def _slug(name: str) -> str:
    """What is left of a name in ASCII: accents go, anything else becomes `_`."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-zA-Z0-9_-]+", "_", plain)
