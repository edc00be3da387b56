"""Names and ids as Anthropic's Messages API takes them: letters, digits, `_` and `-`."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256

from chat.llm.messages import Message
from limits.models import MAX_ANTHROPIC_NAME

_FITS = re.compile(r"[A-Za-z0-9_-]+")
# An unfit character becomes `_u<its code point in hex>_`, and so does the first one of what only
# looks like that, or will: so every name has one fit form, and no two have the same.
_UNFIT = re.compile(r"[^A-Za-z0-9_-]|_(?=u[0-9a-f]{1,6}[^A-Za-z0-9-])")
_ESCAPED = re.compile(r"_u([0-9a-f]{1,6})_")


def fit_name(name: str) -> str:
    """The name as the API takes it. `given_name` reverses it, unless it is too long and cut."""
    fit = _UNFIT.sub(lambda found: f"_u{ord(found[0]):x}_", name)
    if len(fit) <= MAX_ANTHROPIC_NAME:
        return fit
    digest = sha256(name.encode(errors="surrogatepass")).hexdigest()[:16]
    return f"{fit[: MAX_ANTHROPIC_NAME - len(digest) - 1]}_{digest}"


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


def with_fit_ids(history: Iterable[Message]) -> Iterator[Message]:
    """A complete history, no two calls of which have the same id. Some servers number the calls of
    each answer anew."""
    seen: Counter[str] = Counter()
    fit: dict[str, str] = {}
    for message in history:
        if calls := message.get("tool_calls"):
            fit = {call["id"]: _unseen(fit_id(call["id"]), seen) for call in calls}
            yield {**message, "tool_calls": [{**call, "id": fit[call["id"]]} for call in calls]}
        elif message["role"] == "tool":
            yield {**message, "tool_call_id": fit[message["tool_call_id"]]}
        else:
            yield message


def _unseen(call_id: str, seen: Counter[str]) -> str:
    fresh = call_id
    while seen[fresh]:
        seen[call_id] += 1
        fresh = f"{call_id}_{seen[call_id]}"
    seen[fresh] += 1
    return fresh


def _character(code: str) -> str:
    point = int(code, 16)
    return chr(point) if point < 0x110000 else f"_u{code}_"
