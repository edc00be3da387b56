"""Names and ids for Anthropic's Messages API: letters, digits, `_` and `-`."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256

from chat.llm.messages import Message
from limits.models import MAX_ANTHROPIC_NAME

_FITS = re.compile(r"[A-Za-z0-9_-]+")
# Another character becomes `_u<code point in hex>_`; so does the first one of text that looks like
# such an escape. So every name has one fit form, and no two names share one.
_UNFIT = re.compile(r"[^A-Za-z0-9_-]|_(?=u[0-9a-f]{1,6}[^A-Za-z0-9-])")
_ESCAPED = re.compile(r"_u([0-9a-f]{1,6})_")


def fit_name(name: str) -> str:
    """The name in a form that the API accepts. `original_name` reverses it, unless it is
    truncated."""
    fit = _UNFIT.sub(lambda match: f"_u{ord(match[0]):x}_", name)
    if len(fit) <= MAX_ANTHROPIC_NAME:
        return fit
    digest = sha256(name.encode(errors="surrogatepass")).hexdigest()[:16]
    return f"{fit[: MAX_ANTHROPIC_NAME - len(digest) - 1]}_{digest}"


def is_cut(name: str) -> bool:
    """Whether the fit form is truncated, so that it cannot be reversed."""
    return original_name(fit_name(name)) != name


def original_name(fit: str) -> str:
    """The original name of a fit form."""
    name = _ESCAPED.sub(lambda match: _character(match[1]), fit)
    return name if fit_name(name) == fit else fit


def fit_id(call_id: str) -> str:
    """The id of a call in a form that the API accepts."""
    if _FITS.fullmatch(call_id):
        return call_id
    return f"toolu_{sha256(call_id.encode(errors='surrogatepass')).hexdigest()[:24]}"


def with_fit_ids(history: Iterable[Message]) -> Iterator[Message]:
    """A complete history with fit and unique ids of calls: some servers number the calls of each
    answer anew."""
    seen: Counter[str] = Counter()
    fit: dict[str, str] = {}
    for message in history:
        if calls := message.get("tool_calls"):
            fit = {call["id"]: _unique(fit_id(call["id"]), seen) for call in calls}
            yield {**message, "tool_calls": [{**call, "id": fit[call["id"]]} for call in calls]}
        elif message["role"] == "tool":
            yield {**message, "tool_call_id": fit[message["tool_call_id"]]}
        else:
            yield message


def _unique(call_id: str, seen: Counter[str]) -> str:
    fresh = call_id
    while seen[fresh]:
        seen[call_id] += 1
        fresh = f"{call_id}_{seen[call_id]}"
    seen[fresh] += 1
    return fresh


def _character(code: str) -> str:
    point = int(code, 16)
    return chr(point) if point < 0x110000 else f"_u{code}_"
