"""Who may come in at `/mcp`: Host and Origin (DNS rebinding), and a token (RFC 6750, RFC 9728)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.http.request import split_domain_port, validate_host

from api.mcp_server.scopes import ALL, scope_of
from tokens.access import Access, ScopeMissing, TokenError, access_of, bearer
from tokens.models import Scope, Token

PATH = "/mcp"
METADATA = "/.well-known/oauth-protected-resource/mcp"
NO_TOKEN = (
    "Sign in first: send a token as “Authorization: Bearer …”, or connect by OAuth, which the "
    "header WWW-Authenticate begins."
)


@dataclass(frozen=True)
class Refusal:
    """An HTTP response that is no MCP."""

    status: int
    sentence: str
    headers: Mapping[str, str] = field(default_factory=dict)

    async def send(self, send: Any) -> None:
        body = json.dumps({"error": self.sentence}, ensure_ascii=False).encode()
        headers = {
            "content-type": "application/json",
            "content-length": str(len(body)),
            "cache-control": "no-store",
            **self.headers,
        }
        pairs = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": self.status, "headers": pairs})
        await send({"type": "http.response.body", "body": body})


def header(scope: Mapping[str, Any], name: bytes) -> str:
    """The only value of a header; "" for none, and for several, which two readers could take for
    different ones."""
    values = [value for key, value in scope["headers"] if key == name]
    return values[0].decode("latin-1") if len(values) == 1 else ""


def base_url(host: str) -> str:
    """The public address of this server, without a slash at its end."""
    return settings.ROUNDTRIP_URL or f"{'https' if settings.HTTPS else 'http'}://{host}"


def has_known_host(scope: Mapping[str, Any]) -> bool:
    return validate_host(split_domain_port(header(scope, b"host"))[0], settings.ALLOWED_HOSTS)


def enter(scope: Mapping[str, Any]) -> Access | Refusal:
    """Whose token the request has. Reads the database."""
    base = base_url(header(scope, b"host"))
    secret = bearer(header(scope, b"authorization"))
    if not secret:
        challenge = f'Bearer resource_metadata="{base}{METADATA}", scope="{" ".join(ALL)}"'
        return Refusal(401, NO_TOKEN, {"www-authenticate": challenge})
    try:
        return access_of(secret, of_oauth=True)
    except TokenError as error:
        challenge = f'Bearer error="invalid_token", resource_metadata="{base}{METADATA}"'
        return Refusal(401, str(error), {"www-authenticate": challenge})


def missing_scope(body: bytes, access: Access) -> ScopeMissing | None:
    """What the token of this request does not allow of what the body asks for."""
    try:
        message = json.loads(body)
        needed = scope_of(message["method"], message.get("params", {}).get("name"))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None  # the protocol's own error is better
    return ScopeMissing(needed) if needed and needed not in access.scopes else None


def step_up(scope: Mapping[str, Any], access: Access, missing: ScopeMissing) -> Refusal | None:
    """How a program that is connected by OAuth asks for more. A token that a person made has its
    scopes for ever: there a tool says so in its result."""
    if access.token.origin != Token.Origin.OAUTH:
        return None
    wanted = " ".join(sorted({*access.scopes, missing.scope} & {str(one) for one in Scope}))
    base = base_url(header(scope, b"host"))
    challenge = (
        f'Bearer error="insufficient_scope", scope="{wanted}", resource_metadata="{base}{METADATA}"'
    )
    return Refusal(403, str(missing), {"www-authenticate": challenge})
