"""OAuth for sessions over HTTP: the SDK's flow, with a storage and a browser of ours.

The flow is one coroutine in one process: discovery, registration, PKCE, the wait for the browser,
the exchange, and later the refresh. What it needs of the world stands behind two protocols: where
tokens are kept (the SDK's `TokenStorage`) and how a person gets to the authorization server and
back (`Browser`). Sources: MCP specification, "Authorization"; RFC 6749, 7591, 8414, 8707, 9207,
9728; draft-ietf-oauth-client-id-metadata-document.
"""

import time
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx2
from pydantic import AnyUrl, BaseModel

from languages.stored import stored
from limits.mcp import MAX_OAUTH_FAILURE
from tools.errors import ConnectionFailed, Failure
from tools.mcp.masking import Masking
from tools.mcp.sdk import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthClientProvider,
    OAuthFlowError,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
    TokenStorage,
    union_scopes,
)
from tools.values.secrets import SHORTEST_SECRET
from tools.values.server_config import ServerConfig

CLIENT_NAME = "Roundtrip"


class Browser(Protocol):
    """How a person grants access: both are awaited once a flow, in this order."""

    async def open(self, url: str) -> None:
        """Have the person look at `url`."""

    async def returned(self) -> AuthorizationCodeResult:
        """What the authorization server sent the person back with. Raises if they never come."""
        ...


@dataclass(frozen=True)
class Client:
    """What we are to authorization servers.

    `metadata_url` is where our description can be read (HTTPS; empty: nowhere). With an `id` we
    were registered beforehand. `scope` is asked for beside what the server names.
    """

    redirect_uri: str
    metadata_url: str = ""
    id: str = ""
    secret: str = field(default="", repr=False)
    scope: str = ""

    @property
    def metadata(self) -> OAuthClientMetadata:
        """As it is registered, and as it is described at `metadata_url`."""
        return OAuthClientMetadata(
            client_name=CLIENT_NAME,
            redirect_uris=[AnyUrl(self.redirect_uri)],
            grant_types=["authorization_code", "refresh_token"],
            response_types=["code"],
            scope=self.scope or None,
            application_type="native" if _is_local(self.redirect_uri) else "web",
        )

    @property
    def registered(self) -> OAuthClientInformationFull | None:
        """The client that an operator registered beforehand, if one did."""
        if not self.id:
            return None
        return OAuthClientInformationFull(
            client_id=self.id,
            client_secret=self.secret or None,
            redirect_uris=[AnyUrl(self.redirect_uri)],
            token_endpoint_auth_method="client_secret_basic" if self.secret else "none",
        )


@dataclass(frozen=True)
class Discovered:
    """What a refresh has to know of the authorization server, days after the flow."""

    authorization_server: str
    metadata: OAuthMetadata | None
    resource: ProtectedResourceMetadata | None

    def as_json(self) -> dict[str, Any]:
        return {
            "authorization_server": self.authorization_server,
            "metadata": _dumped(self.metadata),
            "resource": _dumped(self.resource),
        }

    @classmethod
    def of(cls, known: dict[str, Any]) -> "Discovered":
        """Raises pydantic's `ValidationError`."""
        metadata, resource = known["metadata"], known["resource"]
        return cls(
            known["authorization_server"],
            OAuthMetadata.model_validate(metadata) if metadata else None,
            ProtectedResourceMetadata.model_validate(resource) if resource else None,
        )


class Storage(TokenStorage, Protocol):
    """The SDK's contract, and what was discovered. `expires_in` of stored tokens is what is left of
    their time."""

    async def get_discovered(self) -> Discovered | None: ...

    async def set_discovered(self, discovered: Discovered) -> None: ...


class Provider(OAuthClientProvider):
    """The SDK's flow, and what it lacks: it asks for the scope that an operator wants too, sends
    the secret of a client that was registered beforehand in the way that the server takes it, and
    refreshes stored tokens that have expired where they came from."""

    def __init__(
        self, config: ServerConfig, client: Client, storage: Storage, browser: Browser
    ) -> None:
        super().__init__(
            config.url,
            client.metadata,
            storage,
            browser.open,
            browser.returned,
            client_metadata_url=client.metadata_url or None,
        )
        self._client = client
        self._storage = storage
        self.failure: Failure | None = None  # why nobody is signed in
        self.masking = Masking()  # that of the session, once it has one

    async def _auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        flow = super()._auth_flow(request)
        try:
            wanted = await anext(flow)
            while True:
                self.masking.hide_passing(self._given())
                wanted = await flow.asend((yield wanted))
        except StopAsyncIteration:
            self.failure = None
        except ConnectionFailed as error:
            self.failure = error.failure
            raise
        except OAuthFlowError as error:
            self.failure = Failure(
                stored(
                    "did not let us sign in: %(most)s",
                    most=self.masking.text(str(error))[:MAX_OAUTH_FAILURE],
                )
            )
            raise
        finally:
            await flow.aclose()

    def _given(self) -> Iterator[str]:
        """The secrets that we have, also if they were not sent in this session yet."""
        tokens, client = self.context.current_tokens, self.context.client_info
        known = (
            *((tokens.access_token, tokens.refresh_token) if tokens else ()),
            *((client.client_secret,) if client else ()),
        )
        yield from (one for one in known if one and len(one) >= SHORTEST_SECRET)

    async def _initialize(self) -> None:
        await super()._initialize()
        tokens, discovered = self.context.current_tokens, await self._storage.get_discovered()
        if tokens is not None and tokens.expires_in is not None:
            self.context.token_expiry_time = time.time() + tokens.expires_in
        if discovered is not None:
            self.context.oauth_metadata = discovered.metadata
            self.context.protected_resource_metadata = discovered.resource
            self.context.auth_server_url = discovered.authorization_server or None

    async def _handle_token_response(self, response: httpx2.Response) -> None:
        await super()._handle_token_response(response)
        context = self.context
        await self._storage.set_discovered(
            Discovered(
                context.auth_server_url or "",
                context.oauth_metadata,
                context.protected_resource_metadata,
            )
        )

    async def _perform_authorization_code_grant(self) -> tuple[str, str]:
        context = self.context
        context.client_metadata.scope = union_scopes(
            context.client_metadata.scope, self._client.scope or None
        )
        self._choose_method()
        return await super()._perform_authorization_code_grant()

    def _choose_method(self) -> None:
        info, metadata = self.context.client_info, self.context.oauth_metadata
        methods = metadata.token_endpoint_auth_methods_supported if metadata else None
        if (
            self._client.secret
            and info is not None
            and info.client_id == self._client.id
            and methods
        ):
            is_posted = "client_secret_basic" not in methods and "client_secret_post" in methods
            info.token_endpoint_auth_method = (
                "client_secret_post" if is_posted else "client_secret_basic"
            )


class Memory:
    """A `Storage` that ends with the process."""

    def __init__(self, client: Client) -> None:
        self._tokens: OAuthToken | None = None
        self._client = client.registered

    async def get_tokens(self) -> OAuthToken | None:
        return self._tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self._tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self._client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self._client = client_info

    async def get_discovered(self) -> Discovered | None:
        return None

    async def set_discovered(self, discovered: Discovered) -> None:
        """Nothing outlives the session."""


def _dumped(metadata: BaseModel | None) -> dict[str, Any] | None:
    return metadata.model_dump(mode="json", exclude_none=True) if metadata else None


def _is_local(url: str) -> bool:
    return httpx2.URL(url).host in ("localhost", "127.0.0.1", "::1")
