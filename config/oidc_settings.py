"""The OpenID Connect provider of the environment (OpenID Connect Discovery 1.0)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config import environment

PROVIDER_ID = "oidc"
GROUP = "group:"
ROLES = ("admin", "viewer", "member")
# Whom the provider makes a new account for.
SIGNUP = ("mapped", "everybody", "nobody")


@dataclass(frozen=True)
class OIDC:
    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    name: str = "OpenID Connect"
    scopes: tuple[str, ...] = ("openid", "profile", "email")
    # The claim with a person's groups, and what each of them gives: a role, or `group:<name>`.
    groups_claim: str = "groups"
    roles: Mapping[str, str] = field(default_factory=dict)
    signup: str = "mapped"
    # Whether addresses count as verified where the provider says nothing of it.
    trusts_email: bool = False

    @property
    def managed_roles(self) -> frozenset[str]:
        return frozenset(one for one in self.roles.values() if not one.startswith(GROUP))

    @property
    def managed_groups(self) -> frozenset[str]:
        names = (one.removeprefix(GROUP) for one in self.roles.values() if one.startswith(GROUP))
        return frozenset(names)


def from_environment(environ: Mapping[str, str]) -> OIDC | None:
    """None without OIDC_ISSUER. Raises `ImproperlyConfigured`."""
    issuer = environ.get("OIDC_ISSUER", "").strip()
    if not issuer:
        return None
    if urlsplit(issuer).scheme not in ("https", "http") or not urlsplit(issuer).hostname:
        raise ImproperlyConfigured(f"OIDC_ISSUER has to be an address (https://…), not {issuer!r}.")
    if not environ.get("OIDC_CLIENT_ID"):
        raise ImproperlyConfigured("OIDC_ISSUER needs OIDC_CLIENT_ID (and OIDC_CLIENT_SECRET).")
    scopes = environ.get("OIDC_SCOPES", "").split() or ["openid", "profile", "email"]
    return OIDC(
        issuer=issuer,
        client_id=environ["OIDC_CLIENT_ID"],
        client_secret=environ.get("OIDC_CLIENT_SECRET", ""),
        name=environ.get("OIDC_NAME") or "OpenID Connect",
        scopes=tuple(dict.fromkeys(["openid", *scopes])),
        groups_claim=environ.get("OIDC_GROUPS_CLAIM") or "groups",
        roles=_roles(environment.json_object("OIDC_ROLES")),
        signup=environment.choice("OIDC_SIGNUP", SIGNUP),
        trusts_email=environ.get("OIDC_TRUST_EMAIL") == "1",
    )


def configured_provider() -> OIDC:
    """Raises `ImproperlyConfigured` where there is none."""
    oidc: OIDC | None = settings.OIDC
    if oidc is None:
        raise ImproperlyConfigured("OIDC_ISSUER is not set.")
    return oidc


def allauth_providers(oidc: OIDC | None) -> dict[str, Any]:
    """`SOCIALACCOUNT_PROVIDERS`."""
    if oidc is None:
        return {}
    app: dict[str, Any] = {
        "provider_id": PROVIDER_ID,
        "name": oidc.name,
        "client_id": oidc.client_id,
        "secret": oidc.client_secret,
        "settings": {"server_url": oidc.issuer, "scope": list(oidc.scopes)},
    }
    return {"openid_connect": {"APPS": [app], "OAUTH_PKCE_ENABLED": True}}


def _roles(mapping: Mapping[str, Any]) -> dict[str, str]:
    for group, given in mapping.items():
        is_group = isinstance(given, str) and given.startswith(GROUP) and len(given) > len(GROUP)
        if given not in ROLES and not is_group:
            raise ImproperlyConfigured(
                f"OIDC_ROLES maps {group!r} to {given!r}; it has to be one of {', '.join(ROLES)}, "
                f"or {GROUP}<name of a group here>."
            )
    return dict(mapping)
