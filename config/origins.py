"""Accepted host names of this server, and origins (RFC 6454) whose pages may open its websocket."""

from collections.abc import Iterable
from urllib.parse import urlsplit

LOCAL = ("localhost", "127.0.0.1", "[::1]")
ANY_ADDRESS = ("0.0.0.0", "::", "[::]")


def internal_url(host: str, port: int) -> str:
    """URL at which processes of this machine reach the web process that listens on `host`."""
    return f"http://{'127.0.0.1' if host in ANY_ADDRESS else _bracketed(host)}:{port}"


def allowed_hosts(host: str, public_url: str, more: str) -> list[str]:
    """The names accepted in a Host header: `LOCAL`, `host`, that of the public URL, and `more`,
    a comma-separated list."""
    listening = [_bracketed(host)] if host not in ANY_ADDRESS else []
    public = urlsplit(public_url).hostname
    names = [*LOCAL, *listening, *([_bracketed(public)] if public else []), *more.split(",")]
    return list(dict.fromkeys(name.strip() for name in names if name.strip()))


def of_url(url: str) -> str:
    """The origin (RFC 6454) of a URL or an Origin header: `scheme://host[:port]` without a default
    port; "" if it is invalid or neither HTTP nor HTTPS."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return ""
    suffix = "" if port in (None, {"http": 80, "https": 443}[parts.scheme]) else f":{port}"
    return f"{parts.scheme}://{_bracketed(parts.hostname)}{suffix}"


def port(url: str) -> int | None:
    """The port of a URL, also a default one; None if there is none."""
    parts = urlsplit(url)
    return parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def is_same(origin: str, own: Iterable[str]) -> bool:
    """Whether an Origin header is one of `own`, our origins; "null" and "" never are."""
    return bool(of_url(origin)) and of_url(origin) in set(own)
