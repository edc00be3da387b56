"""Secrets in what is shared: those that this server keeps, wherever they stand, and texts that have
the form of a key, a token or a password.

What nobody can tell from a text (a password without its name, a secret in another encoding) is not
found: the preview is there for that.
"""

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from chat.llm.redaction import mask_of, redactable_secrets
from chat.models import Provider
from tools.models import Account, Server
from tools.values.secrets import masked_texts

# Nothing of a name that goes on may stand before a key: so each place is tried once.
_START = r"(?<![\w-])"
_FORMS = (
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)",
    rf"{_START}sk-[\w-]{{16,}}",
    rf"{_START}(?:sk|rk|pk)_(?:live|test)_\w{{16,}}",
    rf"{_START}gh[pousr]_\w{{20,}}",
    rf"{_START}github_pat_\w{{20,}}",
    rf"{_START}glpat-[\w-]{{16,}}",
    rf"{_START}(?:AKIA|ASIA)[0-9A-Z]{{16}}\b",
    rf"{_START}AIza[\w-]{{30,}}",
    rf"{_START}xox[abeoprs]-[\w-]{{10,}}",
    rf"{_START}hf_\w{{20,}}",
    rf"{_START}gsk_\w{{20,}}",
    rf"{_START}npm_\w{{30,}}",
    rf"{_START}pypi-[\w-]{{40,}}",
    rf"{_START}SG\.[\w-]{{16,}}\.[\w-]{{16,}}",
    rf"{_START}eyJ[\w-]{{8,}}\.eyJ[\w-]{{8,}}\.[\w-]{{8,}}",
)
_FORM = re.compile("|".join(_FORMS), re.DOTALL)
_NAMES = (
    r"api[_-]?key|access[_-]?key|secret[_-]?(?:access[_-]?)?key|client[_-]?secret|secret|"
    r"(?:auth|access|refresh|bearer|id)?[_-]?token|password|passwd|passphrase|pwd|密码|密钥|口令"
)
_NAMED = re.compile(
    rf"(?i:{_NAMES})\\?[\"']?\s{{0,9}}(?:[:=：]|是)\s{{0,9}}\\?[\"']?([^\s\"'`,;<>{{}}()\[\]\\]{{6,}})"
)
_BEARER = re.compile(r"(?i:\b(?:bearer|basic))\s{1,9}([\w.~+/=-]{12,})")
_IN_ADDRESS = re.compile(r"://[^\s/:@]{0,200}:([^\s/@]{3,200})@")
_GROUPS = (_BEARER, _IN_ADDRESS)


class Masking:
    """Masks secrets, and counts the different ones that it met."""

    def __init__(self, known: Iterable[str]) -> None:
        self._known = redactable_secrets([form for one in known for form in _forms(one)])
        self._met: set[str] = set()

    @property
    def count(self) -> int:
        return len(self._met)

    def text(self, text: str) -> str:
        """The text with each secret as a mask that says so."""
        for secret in self._known:
            if secret in text:
                text = text.replace(secret, self._mask(secret))
        text = _FORM.sub(lambda found: self._mask(found[0]), text)
        for pattern in _GROUPS:
            text = pattern.sub(self._mask_group, text)
        return _NAMED.sub(self._mask_named, text)

    def value(self, value: Any) -> Any:
        """A JSON value without secrets. The text of a member counts with its name."""
        match value:
            case str():
                return self.text(value)
            case list():
                return [self.value(one) for one in value]
            case dict():
                return {self.text(str(key)): self._member(key, one) for key, one in value.items()}
        return value

    def _member(self, key: Any, value: Any) -> Any:
        if isinstance(value, str) and _NAMED.fullmatch(f"{key}: {value}"):
            return self._mask(value) if _is_mixed(value) else self.text(value)
        return self.value(value)

    def _mask(self, secret: str) -> str:
        self._met.add(secret)
        return mask_of(secret[:40].ljust(len("[redacted]")))

    def _mask_group(self, found: re.Match[str]) -> str:
        if found[1].startswith("[redacted"):
            return found[0]
        start = found.start(1) - found.start()
        return f"{found[0][:start]}{self._mask(found[1])}{found[0][start + len(found[1]) :]}"

    def _mask_named(self, found: re.Match[str]) -> str:
        return self._mask_group(found) if _is_mixed(found[1]) else found[0]


def masking() -> Masking:
    """With all secrets that this server keeps, as they are now."""
    return Masking(_kept())


def _is_mixed(text: str) -> bool:
    """Whether it may be a password: a word alone is none, as in `token: string`."""
    return any(not one.isalpha() and one not in "._-:/" for one in text)


def _forms(secret: str) -> Iterator[str]:
    """As it is, and as a text of JSON has it."""
    yield secret
    for form in (json.dumps(secret), json.dumps(secret, ensure_ascii=False)):
        if form[1:-1] != secret:
            yield form[1:-1]


def _kept() -> Iterator[str]:
    yield from (settings.SECRET_KEY, *settings.ENCRYPTION_KEYS, settings.METRICS_TOKEN)
    yield from _of_environment()
    yield from Provider.objects.values_list("api_key", flat=True)
    columns = ("env", "headers", "marks", "url", "oauth_client_secret")
    for env, headers, marks, url, client_secret in Server.objects.values_list(*columns):
        for name, value in (*env.items(), *headers.items()):
            yield from masked_texts(name, value, marks.get(name))
        yield from masked_texts("", url)
        yield client_secret
    for tokens, client in Account.objects.values_list("tokens", "client"):
        for name, value in (*tokens.items(), *client.items()):
            if isinstance(value, str):
                yield from masked_texts(name, value)


@cache
def _of_environment() -> tuple[str, ...]:
    database = str(settings.DATABASES["default"].get("PASSWORD") or "")
    redis = urlsplit(settings.REDIS_URL).password or ""
    return (database, redis, *masked_texts("", settings.WEB_SEARCH_URL))
