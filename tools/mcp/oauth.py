"""OAuth for sessions over HTTP: the SDK's flow, with a storage and a browser of ours.

The flow is one coroutine in one process: discovery, registration, PKCE, the wait for the browser,
the exchange, and later the refresh. What it needs of the world stands behind two protocols: where
tokens are kept (the SDK's `TokenStorage`) and how a person gets to the authorization server and
back (`Browser`). Sources: MCP specification, "Authorization"; RFC 6749, 7591, 8414, 8707, 9207,
9728; draft-ietf-oauth-client-id-metadata-document.
"""

from dataclasses import dataclass, field
from typing import Protocol

import httpx2
from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.client.auth.utils import union_scopes
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from pydantic import AnyUrl

from tools.mcp.config import ServerConfig

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


class Provider(OAuthClientProvider):
    """The SDK's flow, which besides asks for the scope that an operator wants, and sends the
    secret of a client that was registered beforehand in the way that the server takes it."""

    def __init__(
        self, config: ServerConfig, client: Client, storage: TokenStorage, browser: Browser
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

    async def _perform_authorization_code_grant(self) -> tuple[str, str]:
        context = self.context
        context.client_metadata.scope = union_scopes(
            context.client_metadata.scope, self._client.scope or None
        )
        self._choose_method()
        return await super()._perform_authorization_code_grant()

    def _choose_method(self) -> None:
        info, metadata = self.context.client_info, self.context.oauth_metadata
        taken = metadata.token_endpoint_auth_methods_supported if metadata else None
        if self._client.secret and info is not None and info.client_id == self._client.id and taken:
            is_posted = "client_secret_basic" not in taken and "client_secret_post" in taken
            info.token_endpoint_auth_method = (
                "client_secret_post" if is_posted else "client_secret_basic"
            )


class Memory:
    """A `TokenStorage` that ends with the process."""

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


def _is_local(url: str) -> bool:
    return httpx2.URL(url).host in ("localhost", "127.0.0.1", "::1")
