"""Masking a server's secrets in JSON values.

A server may repeat its environment or its headers in a result, and results are stored and shown.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from tools.mcp.transports.stderr import MASK


class Masking:
    """Replaces these secrets in JSON values."""

    def __init__(self, secrets: Iterable[str]) -> None:
        # A longer secret may contain a shorter one.
        self._secrets: Sequence[str] = sorted(secrets, key=len, reverse=True)

    def __call__(self, value: Any) -> Any:
        """The value with its secrets replaced; the same object if there are no secrets."""
        return self._masked(value) if self._secrets else value

    def _masked(self, value: Any) -> Any:
        match value:
            case str():
                return self._text(value)
            case list():
                return [self._masked(item) for item in value]
            case dict():
                return {self._text(str(key)): self._masked(item) for key, item in value.items()}
        return value

    def _text(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        return text
