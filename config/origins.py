"""Hosts and origins: by which names this server is reached, and which pages may open its socket."""

from collections.abc import Iterable
from urllib.parse import urlsplit

LOCAL = ("localhost", "127.0.0.1", "[::1]")
ANY_ADDRESS = ("0.0.0.0", "::", "[::]")


def internal_url(host: str, port: int) -> str:
    """Where processes of this machine reach the web process that listens on `host`."""
    return f"http://{'127.0.0.1' if host in ANY_ADDRESS else _bracketed(host)}:{port}"


def allowed_hosts(host: str, public_url: str, more: str) -> list[str]:
    """The names accepted in a Host header: this machine's, `host`, the public URL's, and `more`,
    a list with commas."""
    named = [_bracketed(host)] if host not in ANY_ADDRESS else []
    public = urlsplit(public_url).hostname
    wanted = [*LOCAL, *named, *([_bracketed(public)] if public else []), *more.split(",")]
    return list(dict.fromkeys(name.strip() for name in wanted if name.strip()))


def of_url(url: str) -> str:
    """The origin (RFC 6454) of a URL, or of an Origin header: `scheme://host[:port]`, the default
    port left out; "" if there is none."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return ""
    shown = "" if port in (None, {"http": 80, "https": 443}[parts.scheme]) else f":{port}"
    return f"{parts.scheme}://{_bracketed(parts.hostname)}{shown}"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def is_same(origin: str, own: Iterable[str]) -> bool:
    """Whether an Origin header names one of our `own` origins. "null" and "" never do."""
    return bool(of_url(origin)) and of_url(origin) in set(own)
