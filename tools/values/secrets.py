"""Which configured values of a server are secret: results, traces and logs mask them.

By name (`API_TOKEN`, `Authorization`), by form (keys of known services, JSON Web Tokens, long runs
of random letters and digits), or because somebody marked them. The rest are settings, such as a
folder or a region: they are part of what a tool answers, and a model needs them as they are.
"""

import base64
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from urllib.parse import parse_qsl, unquote, urlsplit

SHORTEST_SECRET = 8  # characters: a shorter value occurs in too many words
SHORTEST_MARKED = 4  # characters of a value that somebody marked as secret
SHORTEST_RUN = 16  # letters and digits: a shorter run may be a word, a date or a version
LEAST_BITS = 3.0  # bits of entropy per character of such a run

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SECRET_WORDS = frozenset(
    (
        *(
            "key",
            "keys",
            "apikey",
            "accesskey",
            "secretkey",
            "token",
            "tokens",
            "secret",
            "secrets",
        ),
        *("password", "passwords", "passwd", "passphrase", "pwd", "pass", "pat", "jwt", "dsn"),
        *("auth", "authorization", "bearer", "credential", "credentials", "cookie", "cookies"),
        *("signature", "private", "session"),
    )
)
_PASSWORDS = frozenset({"password", "passwd", "passphrase", "pwd", "pass"})
# As the last word of a name they mean that the value is not the secret itself.
_ABOUT = frozenset(
    (
        *("path", "file", "dir", "folder", "directory", "location", "type", "kind", "mode"),
        *("method", "scheme", "provider", "name", "header", "url", "uri", "host", "endpoint"),
        *("issuer", "audience", "port", "user", "username", "email", "region", "timeout", "ttl"),
        *("expiry", "seconds", "length", "format", "version", "enabled", "disabled", "required"),
    )
)
_KNOWN_FORMS = re.compile(
    r"(?:sk|pk|rk)[-_][A-Za-z0-9]|gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|xapp-|AKIA|ASIA|ya29\."
    r"|AIza|eyJ[A-Za-z0-9_-]+\.|hf_|npm_|pypi-|SG\.|dop_v1_|shpat_|lin_api_|ntn_|secret_|pat[A-Z0-9]"
    r"|-----BEGIN "
)
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_PATH = re.compile(r"(?:~|\.{1,2})?/[^\s]*|[A-Za-z]:[\\/].*")
_FLAG = re.compile(r"-{0,2}[A-Za-z][\w.-]*")
_RUN = re.compile(r"[A-Za-z0-9]+")


def is_secret(name: str, value: str) -> bool:
    """Whether a value counts as secret if nobody marks it."""
    return any(True for _ in _credentials(name, value))


def masked_texts(name: str, value: str, mark: bool | None = None) -> Iterator[str]:
    """The parts of a value to mask. `mark` is whether somebody marked it as secret (True) or not
    secret (False)."""
    if mark is False:
        return
    if mark and len(value) >= SHORTEST_MARKED:
        yield value
    yield from _credentials(name, value)


def _credentials(name: str, value: str) -> Iterator[str]:
    if _is_named_secret(name) and not _leads_to_it(name, value) and not _is_url(value):
        found = [value, value.rpartition(" ")[2], *_in_basic(value)]  # of `Bearer …`
    elif _is_url(value):
        found = list(_in_url(value))
    else:
        found = [value] if has_form(value) else []
    yield from (text for text in dict.fromkeys(found) if len(text) >= SHORTEST_SECRET)


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name)]


def _is_named_secret(name: str) -> bool:
    words = _words(name)
    return bool(_SECRET_WORDS.intersection(words)) and words[-1] not in _ABOUT


def _leads_to_it(name: str, value: str) -> bool:
    """Whether a value is the path of a file with a key; a password may look like one."""
    if _PASSWORDS.intersection(_words(name)) or not _PATH.fullmatch(value):
        return "{workspace}" in value
    return not any(map(_is_random, _RUN.findall(value))) and not set(value) & set("+=")


def _is_url(value: str) -> bool:
    return bool(re.match(r"[a-z][a-z0-9+.-]*://", value, re.IGNORECASE))


def _in_url(value: str) -> Iterator[str]:
    """The password of a URL, with its user name if it may be an ordinary word, and parameters and
    path segments that are keys."""
    try:
        parts = urlsplit(value)
        user, password = parts.username or "", parts.password or ""
        query = parse_qsl(parts.query)
    except ValueError:
        return
    if password:
        yield f"{user}:{password}@"
        for written in (password, unquote(password)):
            if has_form(written) or not written.isalpha():
                yield written
    yield from (given for name, given in query if _is_named_secret(name) or has_form(given))
    yield from (part for part in parts.path.split("/") if has_form(part))


def _in_basic(value: str) -> Iterator[str]:
    """The password in `Basic …` (RFC 7617; RFC 6749, 2.3.1), with its user name too."""
    scheme, _, encoded = value.partition(" ")
    if scheme.lower() != "basic":
        return
    try:
        pair = base64.b64decode(encoded, validate=True).decode()
    except ValueError:
        return
    password = pair.partition(":")[2]
    yield from (pair, password, unquote(password))


def argument_texts(arguments: Sequence[str]) -> Iterator[str]:
    """The parts of a program's arguments to mask: of URLs, and of values that are named as a
    secret, as in `--token=…` and `--token …`."""
    for before, argument in zip(("", *arguments), arguments, strict=False):
        name, equals, value = argument.partition("=")
        if not equals or not _FLAG.fullmatch(name):
            name, value = before if before.startswith("-") else "", argument
        if _is_url(value) or (name and _is_named_secret(name)):
            yield from masked_texts(name, value)


def has_form(value: str) -> bool:
    """Whether a value looks like a key, whatever its name."""
    if any(character.isspace() for character in value) and not value.startswith("-----BEGIN "):
        return False
    if len(value) >= SHORTEST_RUN and _KNOWN_FORMS.match(value):
        return True
    if _UUID.fullmatch(value):
        return True
    return not _PATH.fullmatch(value) and any(map(_is_random, _RUN.findall(value)))


def _is_random(run: str) -> bool:
    """Whether letters and digits look randomly generated."""
    if len(run) < SHORTEST_RUN or run.isdigit() or not any(map(str.isdigit, run)):
        return False
    counts = Counter(run)
    bits = -sum(n / len(run) * math.log2(n / len(run)) for n in counts.values())
    changes = len(re.findall(r"(?<=[A-Za-z])\d|(?<=\d)[A-Za-z]", run))
    return bits >= LEAST_BITS and changes >= 3
