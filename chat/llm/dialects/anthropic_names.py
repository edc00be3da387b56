"""Names and ids as Anthropic's Messages API takes them: letters, digits, `_` and `-`."""

import re
from hashlib import sha256

NAME_LIMIT = 128  # characters
_FITS = re.compile(r"[A-Za-z0-9_-]+")
# An unfit character becomes `_u<its code point in hex>_`, and so does the first one of what only
# looks like that, or will: so every name has one fit form, and no two have the same.
_UNFIT = re.compile(r"[^A-Za-z0-9_-]|_(?=u[0-9a-f]{1,6}[^A-Za-z0-9-])")
_ESCAPED = re.compile(r"_u([0-9a-f]{1,6})_")


def fit_name(name: str) -> str:
    """The name as the API takes it. `given_name` reverses it, unless it is too long and cut."""
    fit = _UNFIT.sub(lambda found: f"_u{ord(found[0]):x}_", name)
    if len(fit) <= NAME_LIMIT:
        return fit
    digest = sha256(name.encode(errors="surrogatepass")).hexdigest()[:16]
    return f"{fit[: NAME_LIMIT - len(digest) - 1]}_{digest}"


def is_cut(name: str) -> bool:
    """Whether the fit form does not say what the name was."""
    return given_name(fit_name(name)) != name


def given_name(fit: str) -> str:
    """The name that became this; the same if it did not have to become anything."""
    name = _ESCAPED.sub(lambda found: _character(found[1]), fit)
    return name if fit_name(name) == fit else fit


def fit_id(call_id: str) -> str:
    """The id of a call, the same if it fits."""
    if _FITS.fullmatch(call_id):
        return call_id
    return f"toolu_{sha256(call_id.encode(errors='surrogatepass')).hexdigest()[:24]}"


def _character(code: str) -> str:
    point = int(code, 16)
    return chr(point) if point < 0x110000 else f"_u{code}_"
