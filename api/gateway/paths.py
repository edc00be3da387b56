"""The address of a call: `/gateway/<provider>/v1/<what is below the provider's base URL>`.

What follows `/v1/` is passed on as the caller wrote it, so it must mean the same to everybody on
the way: no dot segments, no encoded slashes or percent signs, no empty segments (RFC 3986, 6.2.2;
RFC 9110, 4.2.3).
"""

import re
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

PREFIX = "/gateway/"

# Provider, and the path below its base URL.
_PATH = re.compile(r"/gateway/([A-Za-z0-9_-]{1,120})/v1/([A-Za-z0-9\-._~!$&'()*+,;=:@%/]{1,2000})")
# Of a slash, a backslash, a dot, a semicolon, a control character, or a percent sign: read once
# more on the way they would be another path.
_DOUBTFUL = re.compile(r"%(?:2[eEfF5]|3[bB]|5[cC]|[01][0-9a-fA-F]|7[fF])")
_BAD_PERCENT = re.compile(r"%(?![0-9a-fA-F]{2})")
_QUERY = re.compile(r"[\x21\x24-\x7e]*")  # any visible ASCII but `"` and `#`


class Target(NamedTuple):
    """`provider`: slug. `path`: below the base URL, without a leading slash, as it was sent."""

    provider: str
    path: str


def target_of(raw_path: bytes) -> Target | None:
    """What a path names, None if it is no address of the gateway that can be passed on."""
    match = _PATH.fullmatch(raw_path.decode("latin-1"))
    if match is None:
        return None
    provider, path = match.groups()
    if _DOUBTFUL.search(path) or _BAD_PERCENT.search(path):
        return None
    segments = path.split("/")
    # Java's servers take what follows a semicolon away before they resolve dots.
    names = [segment.partition(";")[0] for segment in segments]
    if any(name in (".", "..") for name in names) or "" in names[:-1]:
        return None
    try:
        unquote_to_bytes(path).decode()  # overlong forms of a slash or a dot are no UTF-8
    except UnicodeDecodeError:
        return None
    return Target(provider, path)


def is_query(raw: bytes) -> bool:
    """Whether a query can be passed on as it is."""
    return _QUERY.fullmatch(raw.decode("latin-1")) is not None
