"""What the sign-in provider says of a person (OpenID Connect Core 1.0, 5.1), read once.

Providers send claims of any type and value, such as `"email_verified": "false"`. `read` makes a
frozen record of them; nothing else looks at what was sent.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from config.oidc_settings import OIDC

# Of the columns that addresses are stored in.
EMAIL_CHARACTERS = 254


@dataclass(frozen=True)
class Claims:
    subject: str
    # "" where there is none, or where it is no address.
    email: str
    is_verified: bool
    # Names of the groups, as the provider has them.
    groups: frozenset[str]
    username: str
    name: str
    given_name: str
    family_name: str


def read(id_token: Mapping[str, Any], userinfo: Mapping[str, Any], oidc: OIDC) -> Claims:
    """Claims of the ID token, and in their place those of the userinfo endpoint."""
    merged = {**id_token, **userinfo}
    email = _email(merged)
    return Claims(
        subject=str(id_token["sub"]),
        email=email,
        is_verified=bool(email) and _is_verified(email, (id_token, userinfo), oidc),
        groups=_groups(merged, oidc),
        username=_text(merged, "preferred_username"),
        name=_text(merged, "name"),
        given_name=_text(merged, "given_name"),
        family_name=_text(merged, "family_name"),
    )


def stored_address(columns: Mapping[str, Any]) -> tuple[str, bool]:
    """The address in a stored `extra_data`, and whether it was verified at the latest sign-in.
    Older rows have what the provider sent, as `userinfo`."""
    userinfo = columns.get("userinfo")
    claims = userinfo if isinstance(userinfo, Mapping) else columns
    return _text(claims, "email"), _is_true(claims.get("email_verified"))


def _is_true(claim: object) -> bool:
    """`true`, or the text that some providers send for it."""
    return claim is True or claim == "true"


def _email(claims: Mapping[str, Any]) -> str:
    email = _text(claims, "email").strip()
    try:
        validate_email(email)
    except ValidationError:
        return ""
    return email if len(email) <= EMAIL_CHARACTERS else ""


def _is_verified(email: str, sources: tuple[Mapping[str, Any], ...], oidc: OIDC) -> bool:
    """Whether no source denies it, and one says so of this very address; if none says anything, as
    configured."""
    speaking = [source for source in sources if "email_verified" in source]
    if not all(_is_true(source["email_verified"]) for source in speaking):
        return False
    named = any(_text(source, "email").strip() == email for source in speaking)
    return named or (not speaking and oidc.trusts_email)


def _groups(claims: Mapping[str, Any], oidc: OIDC) -> frozenset[str]:
    """The names in the claim of groups, also a nested one such as `realm_access.roles`."""
    value: Any = claims.get(oidc.groups_claim)
    if value is None:
        value = claims
        for name in oidc.groups_claim.split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
    names = [value] if isinstance(value, str) else value
    return frozenset(
        name for name in (names if isinstance(names, list) else ()) if isinstance(name, str)
    )


def _text(claims: Mapping[str, Any], name: str) -> str:
    value = claims.get(name)
    return value if isinstance(value, str) else ""
