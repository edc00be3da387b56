"""An MCP server that wants a token, and the authorization server that gives it, at one address.

What it gets is kept (`seen`), how it behaves can be changed while it runs. Where an answer says
`SENT` or `BEFORE`, the token of the request or the first one stands in it: some servers repeat what
they are sent.
"""

import base64
import hashlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tools.tests.servers.web import serving

PRM = "/.well-known/oauth-protected-resource/mcp"
BEFORE = "here-the-first-token-that-it-ever-gave"  # as long as a token
SENT = "here-the-token-stands-that-it-was-sent"  # as long as a token
ASM = "/.well-known/oauth-authorization-server"


@dataclass
class Authority:
    """Its behaviour, and what it has given and seen."""

    base: str = ""
    denies: bool = False
    takes_refresh: bool = True
    takes_code: bool = True
    registers: bool = True
    reads_clients: bool = False  # client id metadata documents
    iss: str = "own"  # own | wrong | none
    lasts_s: int | None = 3600
    scope: str = "notes"
    root_metadata_only: bool = False
    sends_to: str = ""  # instead of its own page to sign in at
    call_scope: str = ""  # which calls need beside
    repeats: bool = False  # what it is sent, wherever it can
    given: list[str] = field(default_factory=list)  # tokens
    valid: dict[str, str] = field(default_factory=dict)  # token: its scope
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    seen: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def of(self, what: str) -> list[dict[str, str]]:
        """What was sent to one of its endpoints."""
        return [sent for kind, sent in self.seen if kind == what]

    def routes(self) -> list[Route]:
        return [
            Route("/.well-known/oauth-protected-resource", self._resource),
            Route(PRM, self._resource),
            Route(ASM, self._metadata),
            Route("/register", self._register, methods=["POST"]),
            Route("/authorize", self._authorize),
            Route("/token", self._token, methods=["POST"]),
        ]

    async def _resource(self, request: Request) -> Response:
        if self.root_metadata_only and request.url.path == PRM:
            return Response(status_code=404)
        return JSONResponse(
            {
                "resource": f"{self.base}/mcp",
                "authorization_servers": [self.base],
                "scopes_supported": self.scope.split(),
            }
        )

    async def _metadata(self, request: Request) -> Response:
        known: dict[str, Any] = {
            "issuer": self.base,
            "authorization_endpoint": self.sends_to or f"{self.base}/authorize",
            "token_endpoint": f"{self.base}/token",
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "client_id_metadata_document_supported": self.reads_clients,
            "authorization_response_iss_parameter_supported": self.iss != "none",
        }
        if self.registers:
            known["registration_endpoint"] = f"{self.base}/register"
        return JSONResponse(known)

    async def _register(self, request: Request) -> Response:
        asked = await request.json()
        self.seen.append(("register", asked))
        return JSONResponse({**asked, "client_id": f"client-{uuid4().hex}"}, status_code=201)

    async def _authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        self.seen.append(("authorize", asked))
        answer = {"state": asked["state"]}
        if self.iss != "none":
            answer["iss"] = self.base if self.iss == "own" else "https://evil.example"
        if self.denies:
            answer |= {"error": "access_denied", "error_description": "Not today"}
        else:
            answer["code"] = f"code-{uuid4().hex}"
            self.codes[answer["code"]] = asked
        return RedirectResponse(f"{asked['redirect_uri']}?{urlencode(answer)}", status_code=302)

    async def _token(self, request: Request) -> Response:
        form = {key: str(value) for key, value in (await request.form()).items()}
        kind = form["grant_type"]
        self.seen.append((kind, {**form, "auth": request.headers.get("authorization", "")}))
        asked = self.codes.pop(form.get("code", ""), None)
        if kind == "authorization_code" and self.takes_code and asked and _proves(form, asked):
            return self._tokens(asked.get("scope", ""))
        if kind == "refresh_token" and self.takes_refresh:
            return self._tokens("")
        repeated = {"error_description": str(form)} if self.repeats else {}
        return JSONResponse({"error": "invalid_grant", **repeated}, status_code=400)

    def _tokens(self, scope: str) -> Response:
        token = f"token-{uuid4().hex}"
        self.valid = {token: scope}
        given: dict[str, Any] = {"access_token": token, "token_type": "Bearer"}
        if self.lasts_s is not None:
            given |= {"expires_in": self.lasts_s, "refresh_token": f"refresh-{uuid4().hex}"}
        self.given += [value for name, value in given.items() if name.endswith("_token")]
        return JSONResponse(given | ({"scope": scope} if scope else {}))


def _proves(form: dict[str, str], asked: dict[str, str]) -> bool:
    """PKCE (RFC 7636)."""
    digest = hashlib.sha256(form["code_verifier"].encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=") == asked["code_challenge"]


class _Guarded:
    """The MCP server behind the check of its token."""

    def __init__(self, app: ASGIApp, authority: Authority) -> None:
        self._app = app
        self._authority = authority

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Request(scope).headers.get("authorization", "").removeprefix("Bearer ")
        wanted = self._authority.call_scope
        calls = Request(scope).headers.get("mcp-method") == "tools/call"
        lacks = calls and wanted and wanted not in self._authority.valid.get(given, "").split()

        async def repeating(message: Message) -> None:
            if body := message.get("body"):
                message = {**message, "body": body.replace(SENT.encode(), given.encode())}
                before = self._authority.given[0]
                message["body"] = message["body"].replace(BEFORE.encode(), before.encode())
            await send(message)

        if given in self._authority.valid and not lacks:
            await self._app(scope, receive, repeating)
            return
        where = f'Bearer resource_metadata="{self._authority.base}{PRM}"'
        if lacks:
            where += f', error="insufficient_scope", scope="{wanted}"'
        if self._authority.root_metadata_only:
            where = "Bearer"
        refused = Response(status_code=403 if lacks else 401, headers={"WWW-Authenticate": where})
        await refused(scope, receive, send)


def _add_repeating(server: MCPServer) -> None:
    @server.tool(description=f"Sent: {SENT}", title=SENT)
    async def repeat(context: Context) -> dict[str, str]:
        await context.report_progress(1, 2, f"progress {SENT}")
        await context.info(f"log {SENT}")
        return {
            "header": f"Bearer {SENT}",
            "before": BEFORE,
            "address": f"https://notes.example/?token={SENT}",
        }

    @server.tool()
    def fail() -> str:
        raise ToolError(f"refused: {SENT}")

    @server.tool()
    def refuse() -> str:
        raise MCPError(-32001, f"refused: {SENT}", {"header": SENT})

    @server.resource("notes://sent", description=SENT)
    def sent() -> str:
        return SENT

    @server.prompt(description=SENT)
    def ask() -> str:
        return SENT


@contextmanager
def authorizing(**changes: Any) -> Iterator[Authority]:
    """Serves until the block ends; the MCP server is at `base` + `/mcp`."""
    authority = Authority(**changes)
    server = MCPServer("notes", version="1")

    @server.tool()
    def note() -> str:
        """Read the note."""
        return "milk"

    if authority.repeats:
        _add_repeating(server)
    app = server.streamable_http_app()
    mounted = Mount("/", app=_Guarded(app, authority))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with app.router.lifespan_context(app):
            yield

    whole = Starlette(routes=[*authority.routes(), mounted], lifespan=lifespan)
    with serving(whole) as url:
        authority.base = url.removesuffix("/mcp")
        yield authority
