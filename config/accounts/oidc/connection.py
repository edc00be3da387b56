"""The provider's configuration and its tokens, checked.

allauth leaves out the nonce, and the signature of ID tokens that come straight from the token
endpoint; both are checked here (OpenID Connect Core 1.0, 3.1.3.7), and whether the configuration is
that of the issuer (OpenID Connect Discovery 1.0, 4.3).
"""

import hmac
from typing import Any

import jwt
from allauth.account.models import EmailAddress
from allauth.socialaccount import app_settings
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.http import HttpRequest
from requests import RequestException

from config.accounts.oidc.claims import Claims, read
from config.oidc_settings import configured_provider
from db.fields import storable

# Signatures with a public key; a token that is signed with the client's secret is not accepted.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")
# Seconds that clocks may differ.
_LEEWAY = 60


class Unreachable(OAuth2Error):  # type: ignore[misc]  # allauth is not typed
    """The provider does not answer."""


class Unusable(OAuth2Error):  # type: ignore[misc]
    """The provider answers, but not as the specification says."""


class Provider(OpenIDConnectProvider):  # type: ignore[misc]
    """allauth's, which takes `Claims` for what allauth calls data."""

    def extract_uid(self, data: Claims) -> str:
        return data.subject

    def extract_extra_data(self, data: Claims) -> dict[str, Any]:
        return {"email": data.email, "email_verified": data.is_verified}

    def extract_common_fields(self, data: Claims) -> dict[str, str]:
        return {
            "email": data.email,
            "username": data.username,
            "name": data.name,
            "first_name": data.given_name,
            "last_name": data.family_name,
        }

    def extract_email_addresses(self, data: Claims) -> list[EmailAddress]:
        if not data.email:
            return []
        return [EmailAddress(email=data.email, verified=data.is_verified, primary=True)]


class Connection(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]  # allauth is not typed
    """One sign-in. `nonce` is that of the request that the answer belongs to."""

    nonce = ""

    def get_provider(self) -> Any:
        provider = Provider(self.request, app=super().get_provider().app)
        provider.oauth2_adapter_class = lambda *ignored: self
        return provider

    @property
    def openid_config(self) -> dict[str, Any]:
        if not hasattr(self, "_openid_config"):
            self._openid_config = self._configuration()
        return self._openid_config

    def _configuration(self) -> dict[str, Any]:
        provider = self.get_provider()
        issuer = str(provider.app.settings["server_url"]).rstrip("/")
        config = _json(f"{issuer}/.well-known/openid-configuration")
        if str(config.get("issuer", "")).rstrip("/") != issuer:
            raise Unusable(f"The configuration is that of another issuer: {config.get('issuer')!r}")
        for name in _ENDPOINTS:
            if not str(config.get(name) or "").startswith(("https://", "http://")):
                raise Unusable(f"The configuration has no {name}")
        return config

    def get_access_token_data(self, *args: Any, **options: Any) -> Any:
        try:
            return super().get_access_token_data(*args, **options)
        except RequestException as error:
            raise Unreachable(type(error).__name__) from error
        except (KeyError, ValueError) as error:
            raise Unusable("The answer of the token endpoint is no token") from error

    def complete_login(self, request: HttpRequest, app: Any, token: Any, **options: Any) -> Any:
        """A login with `claims`: those of the ID token, and of the userinfo endpoint of the same
        person."""
        response = options.get("response")
        encoded = response.get("id_token") if isinstance(response, dict) else None
        if not isinstance(encoded, str):
            raise Unusable("There is no ID token")
        id_token = self._verified(encoded, app.client_id)
        userinfo = self._userinfo(token.token)
        if userinfo is not None and userinfo.get("sub") != id_token["sub"]:
            raise Unusable("The userinfo endpoint answers for somebody else")
        claims = read(_storable(id_token), _storable(userinfo or {}), configured_provider())
        if claims.subject != id_token["sub"] or len(claims.subject) > app_settings.UID_MAX_LENGTH:
            raise Unusable("The person's id is not one that can be stored")
        login = self.get_provider().sociallogin_from_response(request, claims)
        login.claims = claims
        return login

    def _verified(self, encoded: str, client_id: str) -> dict[str, Any]:
        keys = _json(self.openid_config["jwks_uri"])
        try:
            key = _key(jwt.PyJWKSet.from_dict(keys), jwt.get_unverified_header(encoded))
            claims: dict[str, Any] = jwt.decode(
                encoded,
                key,
                algorithms=list(ALGORITHMS),
                audience=client_id,
                issuer=self.openid_config["issuer"],
                leeway=_LEEWAY,
                options={"require": ["iss", "sub", "aud", "exp", "iat"]},
            )
        except (jwt.PyJWTError, KeyError, TypeError, ValueError) as error:
            raise Unusable(f"The ID token is not valid ({type(error).__name__})") from error
        if not self.nonce or not _same(claims.get("nonce"), self.nonce):
            raise Unusable("The ID token belongs to another request")
        if claims.get("azp") not in (None, client_id):
            raise Unusable("The ID token is for another client")
        return claims

    def _userinfo(self, access_token: str) -> dict[str, Any] | None:
        """None where the provider has no such endpoint."""
        address = self.openid_config.get("userinfo_endpoint")
        if not address:
            return None
        return _json(address, headers={"Authorization": f"Bearer {access_token}"})


def _json(address: str, **options: Any) -> dict[str, Any]:
    try:
        with get_adapter().get_requests_session() as session:
            response = session.get(address, **options)
            response.raise_for_status()
            value = response.json()
    except ValueError as error:
        raise Unusable(f"{address} answers no JSON") from error
    except RequestException as error:
        raise Unreachable(f"{address}: {type(error).__name__}") from error
    if not isinstance(value, dict):
        raise Unusable(f"{address} answers no JSON object")
    return value


def _storable(value: Any) -> Any:
    """Claims with U+FFFD for what PostgreSQL's text and `jsonb` refuse."""
    if isinstance(value, dict):
        return {storable(str(name)): _storable(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_storable(one) for one in value]
    return storable(value) if isinstance(value, str) else value


def _key(keys: jwt.PyJWKSet, header: dict[str, Any]) -> Any:
    """The key that the token names; without a name, the only one."""
    name = header.get("kid")
    if name is None and len(keys.keys) == 1:
        return keys.keys[0].key
    return keys[str(name)].key


def _same(one: object, other: str) -> bool:
    return isinstance(one, str) and hmac.compare_digest(one.encode(), other.encode())
