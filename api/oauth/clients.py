"""Programs: what they may say of themselves, and where an answer may go."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.db.models import QuerySet
from django.utils import timezone

from api.oauth import documents
from limits.mcp_server import MAX_CLIENT_DOCUMENT_AGE, MAX_REDIRECT_URI, MAX_REDIRECT_URIS
from tokens.programs.models import OAuthClient

LOOPBACK = ("127.0.0.1", "[::1]", "localhost")
# Of programs on the person's own machine (RFC 8252, 7.1); never what a browser runs or opens.
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]{1,39}")
_OF_BROWSERS = frozenset(
    {"about", "blob", "chrome", "data", "file", "filesystem", "ftp", "jar", "javascript", "mailto"}
    | {"tel", "vbscript", "view-source", "ws", "wss"}
)
_NAME_CHARACTERS = 100
_PLAIN = re.compile(r"[\x21-\x7e]+")


class UnfitClient(Exception):
    """`code` is an error of RFC 7591, 3.2.2."""

    def __init__(self, sentence: str, code: str = "invalid_client_metadata") -> None:
        self.code = code
        super().__init__(sentence)


def read_metadata(described: Any) -> tuple[str, list[str]]:
    """Name and redirect addresses of what a program says of itself. Raises `UnfitClient`."""
    if not isinstance(described, Mapping):
        raise UnfitClient("Send a JSON object.")
    uris = described.get("redirect_uris")
    if not isinstance(uris, list) or not 0 < len(uris) <= MAX_REDIRECT_URIS:
        sentence = f"redirect_uris is a list of 1 to {MAX_REDIRECT_URIS} addresses."
        raise UnfitClient(sentence, "invalid_redirect_uri")
    for uri in uris:
        if why := redirect_problem(uri):
            raise UnfitClient(f"A redirect address {why}.", "invalid_redirect_uri")
    for name, known in (("grant_types", "authorization_code"), ("response_types", "code")):
        given = described.get(name)
        if isinstance(given, list) and known not in given:
            raise UnfitClient(f"{name} needs {known}.")
    called = described.get("client_name")
    return _name(called if isinstance(called, str) else "") or _host(urlsplit(uris[0])), uris


def redirect_problem(uri: Any) -> str:
    """What speaks against a redirect address, as a part of a sentence; empty if nothing."""
    if not isinstance(uri, str) or not 0 < len(uri) <= MAX_REDIRECT_URI:
        return f"is a text of at most {MAX_REDIRECT_URI} characters"
    if not _PLAIN.fullmatch(uri) or "\\" in uri:
        return "has only printable ASCII characters, and no backslash"
    try:
        parts = urlsplit(uri)
        parts.port  # noqa: B018  # raises for one that is no number
    except ValueError:
        return "has to be valid"
    if "#" in uri or parts.username is not None or parts.password is not None:
        return "has no fragment and no user name"
    if parts.scheme == "https":
        return "" if parts.hostname else "needs a host"
    if parts.scheme == "http":
        return "" if _host(parts) in LOOPBACK else "of http is on this machine (127.0.0.1)"
    if not _SCHEME.fullmatch(parts.scheme) or parts.scheme in _OF_BROWSERS:
        return "has a scheme of https, http for this machine, or a program's own"
    return ""


def may_redirect(client: OAuthClient, uri: str) -> bool:
    """Whether the address is one of the program's: exactly, but for the port on this machine,
    which a program gets when it starts (RFC 8252, 7.3)."""
    return not redirect_problem(uri) and any(
        uri == known or _without_port(uri) == _without_port(known) for known in client.redirect_uris
    )


def shown_target(uri: str) -> str:
    """Where an answer goes, for a person: the host, or the program that has the scheme."""
    parts = urlsplit(uri)
    if parts.scheme == "https":
        return parts.netloc
    return _host(parts) if parts.scheme == "http" else f"{parts.scheme}:"


def is_on_this_machine(uri: str) -> bool:
    return urlsplit(uri).scheme != "https"


def source_of(uri: str) -> str:
    """The address as a source of a content security policy."""
    parts = urlsplit(uri)
    is_web = parts.scheme in ("http", "https")
    return f"{parts.scheme}://{parts.netloc}" if is_web else f"{parts.scheme}:"


def find(client_id: str) -> OAuthClient | None:
    """The program; one that a document describes is read, if that was not done lately. Raises
    `documents.Unreadable`, `UnfitClient`."""
    client = _known(client_id).first()
    if not documents.is_address(client_id):
        return client
    if client and client.read and timezone.now() - client.read < MAX_CLIENT_DOCUMENT_AGE:
        return client
    name, uris = read_metadata(documents.read(client_id))
    columns = {"name": name, "redirect_uris": uris, "is_document": True, "read": timezone.now()}
    return OAuthClient.objects.update_or_create(client_id=client_id, defaults=columns)[0]


def needs_reading(client_id: str) -> bool:
    """Whether `find` would send a request."""
    fresh = _known(client_id).filter(read__gt=timezone.now() - MAX_CLIENT_DOCUMENT_AGE)
    return documents.is_address(client_id) and not fresh.exists()


def _known(client_id: str) -> QuerySet[OAuthClient]:
    """None for an id that no program has and PostgreSQL would not look for."""
    is_plain = len(client_id) <= MAX_REDIRECT_URI and _PLAIN.fullmatch(client_id)
    return OAuthClient.objects.filter(client_id=client_id if is_plain else "")


def _without_port(uri: str) -> tuple[str, ...] | str:
    parts = urlsplit(uri)
    if parts.scheme != "http" or _host(parts) not in LOOPBACK:
        return uri
    return _host(parts), parts.path, parts.query


def _host(parts: SplitResult) -> str:
    host = parts.hostname or parts.scheme
    return f"[{host}]" if ":" in host else host


def _name(text: str) -> str:
    """One line, without what hides or misleads."""
    printable = "".join(one if one.isprintable() else " " for one in text)
    return " ".join(printable.split())[:_NAME_CHARACTERS]
