"""What a session has sent its server as a secret, replaced wherever it comes back.

A server may repeat anything that it was given, in any message, and messages are stored, shown and
sent to models. So there is one `Masking` for each session. It learns where requests are sent: from
the configuration, from every HTTP request (`transports.http_secrets`), from the sign-in (`oauth`),
and from what people enter in forms. It is applied where messages come in (`frames`), so that nobody
behind that has to think of it.
"""

import base64
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import quote

from tools.values.secrets import SHORTEST_SECRET

MASK = "[secret]"
KEPT = 64  # secrets of requests: tokens that were renewed many times ago are worth nothing


class Masking:
    """Replaces secrets in texts and JSON values: as they are, and as they stand in URLs, in texts
    of JSON, and in Base64 (of files, say)."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._lasting: set[str] = set(secrets)
        self._passing: dict[str, None] = {}  # the latest are the last
        self._forms = _in_order(self._lasting)

    def hide(self, secrets: Iterable[str]) -> None:
        """Masks these too from now on."""
        self._lasting.update(secrets)
        self._forms = _in_order({*self._lasting, *self._passing})

    def hide_passing(self, secrets: Iterable[str]) -> None:
        """Masks these too, until `KEPT` others have come after them."""
        before = list(self._passing)
        for secret in secrets:
            self._passing.pop(secret, None)
            self._passing[secret] = None
        for oldest in list(self._passing)[:-KEPT]:
            del self._passing[oldest]
        if set(before) != self._passing.keys():
            self._forms = _in_order({*self._lasting, *self._passing})

    def __call__(self, value: Any) -> Any:
        """The value with its secrets replaced; the same object if there are no secrets."""
        return self._masked(value) if self._forms else value

    def text(self, text: str) -> str:
        """The text with its secrets replaced."""
        for form in self._forms:
            text = text.replace(form, MASK)
        return text

    def _masked(self, value: Any) -> Any:
        match value:
            case str():
                return self.text(value)
            case list():
                return [self._masked(item) for item in value]
            case dict():
                return {self.text(str(key)): self._masked(item) for key, item in value.items()}
        return value


def _in_order(secrets: Iterable[str]) -> Sequence[str]:
    """All forms of the secrets; a longer one may contain a shorter one."""
    return sorted({form for one in secrets for form in _forms(one)}, key=len, reverse=True)


def _forms(secret: str) -> Iterator[str]:
    yield secret
    for kept in ("", "!'()*"):  # as RFC 3986 has it, and as JavaScript
        quoted = quote(secret, safe=kept)
        yield quoted
        yield re.sub("%[0-9A-F]{2}", lambda escape: escape[0].lower(), quoted)
    for written in (json.dumps(secret), json.dumps(secret, ensure_ascii=False)):
        yield written[1:-1]
        yield written[1:-1].replace("/", "\\/")
    if len(secret) >= SHORTEST_SECRET:
        yield from _in_base64(secret.encode(errors="replace"))


def _in_base64(secret: bytes) -> Iterator[str]:
    """The characters that are the same whatever stands around it (RFC 4648, 4 and 5)."""
    for before, shared in ((0, 0), (1, 2), (2, 3)):
        padded = bytes(before) + secret
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            written = encode(padded).decode().rstrip("=")
            yield written[shared : -1 if len(padded) % 3 else None]
