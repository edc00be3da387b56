"""An authorization request (OAuth 2.1, 4.1.1), parsed and checked."""

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from django.http import HttpRequest, QueryDict

from api.oauth import clients, documents
from api.oauth.clients import UnfitClient
from api.oauth.metadata import SCOPES, base_url, resource_url
from languages.later import later
from limits.mcp_server import MAX_REDIRECT_URI
from tokens.models import Scope
from tokens.programs.models import OAuthClient

_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
UNKNOWN = later("This program is not known here. Start again from the program.")
ELSEWHERE = later("The program asks for an answer at an address that is not its own.")


class Unanswerable(Exception):
    """Nothing may be sent to the address that the request names: the person is told."""


@dataclass(frozen=True)
class AuthorizationRequest:
    """A request that can be answered. `error` is what it is answered with at once, as a code and a
    sentence; None if a person is to be asked."""

    client: OAuthClient
    redirect_uri: str
    state: str | None
    issuer: str
    scopes: tuple[Scope, ...] = ()
    challenge: str = ""
    resource: str = ""
    error: tuple[str, str] | None = None

    def answer(self, **parameters: str) -> str:
        """The address to send the person to (OAuth 2.1, 4.1.2; RFC 9207)."""
        parts = urlsplit(self.redirect_uri)
        given = {**parameters, "iss": self.issuer}
        if self.state is not None:
            given["state"] = self.state
        query = [*parse_qsl(parts.query, keep_blank_values=True), *given.items()]
        return urlunsplit(parts._replace(query=urlencode(query)))

    def refuse(self, code: str, sentence: str) -> str:
        return self.answer(error=code, error_description=sentence)


def read(request: HttpRequest) -> AuthorizationRequest:
    """Raises `Unanswerable`."""
    query = request.GET
    client = _client(query)
    uri = _redirect_uri(query, client)
    issuer = base_url(request)
    state = query.get("state")
    if error := _error(query, request):
        return AuthorizationRequest(client, uri, state, issuer, error=error)
    return AuthorizationRequest(
        client,
        uri,
        state,
        issuer,
        scopes=tuple(one for one in SCOPES if one in _scopes(query)) or (Scope.TRACES,),
        challenge=query["code_challenge"],
        resource=resource_url(request),
    )


def _client(query: QueryDict) -> OAuthClient:
    try:
        client = clients.find(query.get("client_id", ""))
    except (documents.Unreadable, UnfitClient) as error:
        raise Unanswerable(str(error)) from None
    if client is None:
        raise Unanswerable(str(UNKNOWN))
    return client


def _redirect_uri(query: QueryDict, client: OAuthClient) -> str:
    uri = query.get("redirect_uri", "")
    if not uri and len(client.redirect_uris) == 1:
        return str(client.redirect_uris[0])
    if len(query.getlist("redirect_uri")) > 1 or not clients.may_redirect(client, uri):
        raise Unanswerable(str(ELSEWHERE))
    return uri


def _scopes(query: QueryDict) -> set[str]:
    return set(query.get("scope", "").split())


def _error(query: QueryDict, request: HttpRequest) -> tuple[str, str] | None:
    repeated = [name for name in query if len(query.getlist(name)) > 1]
    if repeated:
        return "invalid_request", "A parameter stands twice."
    if query.get("response_type") != "code":
        return "unsupported_response_type", "response_type has to be code."
    if query.get("code_challenge_method") != "S256" or not _CHALLENGE.fullmatch(
        query.get("code_challenge", "")
    ):
        return "invalid_request", "code_challenge with the method S256 is needed (RFC 7636)."
    if _scopes(query) and not _scopes(query) & {str(one) for one in SCOPES}:
        return "invalid_scope", f"The scopes are {', '.join(SCOPES)}."
    if len(query.get("state", "")) > MAX_REDIRECT_URI:
        return "invalid_request", "state is too long."
    resource = query.get("resource", "").rstrip("/")
    if resource not in ("", resource_url(request), base_url(request)):
        return "invalid_target", f"The resource here is {resource_url(request)}."
    return None
