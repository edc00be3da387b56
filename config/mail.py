"""How e-mail is sent: a mail server by environment, in one URL or in single variables."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

SECURITY = ("starttls", "ssl", "off")
_PORTS = {"starttls": 587, "ssl": 465, "off": 25}
# Schemes of EMAIL_URL.
_SCHEMES = {"smtp": "starttls", "smtps": "ssl", "smtp+plain": "off"}


@dataclass(frozen=True)
class MailServer:
    """An SMTP server; `security` is one of `SECURITY` (RFC 3207, RFC 8314)."""

    host: str
    port: int
    user: str = ""
    password: str = ""
    security: str = "starttls"


def server(environ: Mapping[str, str]) -> MailServer | None:
    """The server of EMAIL_URL, or of SMTP_HOST and its variables; None without either. Raises
    `ImproperlyConfigured`, without the password in its message."""
    if url := environ.get("EMAIL_URL", ""):
        return _from_url(url)
    host = environ.get("SMTP_HOST", "")
    if not host:
        return None
    security = environ.get("SMTP_TLS") or "starttls"
    if security not in SECURITY:
        raise ImproperlyConfigured(f"SMTP_TLS has to be one of {', '.join(SECURITY)}.")
    port = _port(environ.get("SMTP_PORT") or str(_PORTS[security]))
    user, password = environ.get("SMTP_USER", ""), environ.get("SMTP_PASSWORD", "")
    return MailServer(host, port, user, password, security)


def _from_url(url: str) -> MailServer:
    try:
        parts = urlsplit(url)
        security, port = _SCHEMES[parts.scheme], parts.port
    except (KeyError, ValueError):
        raise ImproperlyConfigured(
            f"EMAIL_URL has to begin with {', '.join(f'{one}://' for one in _SCHEMES)} and name a "
            "host and a port, as smtp://user:password@mail.example.org:587."
        ) from None
    if not parts.hostname:
        raise ImproperlyConfigured("EMAIL_URL names no host.")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return MailServer(parts.hostname, port or _PORTS[security], user, password, security)


def _port(text: str) -> int:
    try:
        port = int(text)
    except ValueError:
        port = 0
    if not 0 < port < 65536:
        raise ImproperlyConfigured(f"SMTP_PORT has to be a number from 1 to 65535, not {text!r}.")
    return port
