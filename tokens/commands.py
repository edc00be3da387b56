"""Making and revoking tokens, each with a row of the audit log."""

import uuid
from collections.abc import Collection
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from audit.models import Action
from audit.recording import record
from db.users import AnyUser
from limits.api import MAX_TOKEN_DAYS, MAX_TOKEN_NAME, MAX_TOKENS
from tokens.access import TokenError
from tokens.models import Scope, Token, TokenQuerySet


class Unfit(TokenError):
    """No token can be made of this. `field` is the name of what does not fit."""

    def __init__(self, field: str, sentence: str) -> None:
        self.field = field
        super().__init__(sentence)


def scopes_for(user: AnyUser) -> list[Scope]:
    """What a token of this person may have: `admin` is for who has rights beyond their own."""
    has_more = user.is_superuser or user.is_staff
    return [scope for scope in Scope if has_more or scope != Scope.ADMIN]


def make_token(
    user: User, name: str, scopes: Collection[str], days: int | None
) -> tuple[Token, str]:
    """A new token, which expires after so many days, and its secret. Raises `Unfit`."""
    name = " ".join(name.replace("\0", "").split())
    if not 0 < len(name) <= MAX_TOKEN_NAME:
        raise Unfit("name", _("Name it in 1 to %(most)s characters.") % {"most": MAX_TOKEN_NAME})
    chosen = [scope for scope in scopes_for(user) if scope in scopes]
    if not chosen or len(chosen) < len(set(scopes)):
        raise Unfit("scopes", _("Choose at least one scope of those that are offered."))
    expires = _expiry(days)
    if Token.objects.usable().for_user(user).count() >= MAX_TOKENS:
        raise Unfit("name", _("You have %(most)s tokens. Revoke one first.") % {"most": MAX_TOKENS})
    with transaction.atomic():
        token, secret = Token.objects.make(user, name, [one.value for one in chosen], expires)
        lasts = expires.isoformat() if expires else None
        record(Action.TOKEN_MADE, user, token, scopes=token.scopes, expires=lasts)
    return token, secret


def revoke_token(user: User, public_id: uuid.UUID) -> bool:
    """Whether there was such a token of the user's, which could be used until now."""
    token = Token.objects.for_user(user).filter(public_id=public_id).first()
    with transaction.atomic():
        if token is None or not token.revoke():
            return False
        record(Action.TOKEN_REVOKED, user, token)
    return True


def made_tokens(user: AnyUser) -> TokenQuerySet:
    """Those that the person made in the settings and that can be used. Those of programs that OAuth
    connected come and go by the hour: `programs` has the programs."""
    return Token.objects.usable().for_user(user).filter(origin=Token.Origin.SETTINGS)


def _expiry(days: int | None) -> datetime | None:
    if days is None:
        return None
    if not 0 < days <= MAX_TOKEN_DAYS:
        numbers = {"most": f"{MAX_TOKEN_DAYS:,}"}
        raise Unfit("days", _("A token lasts 1 to %(most)s days.") % numbers)
    return timezone.now() + timedelta(days=days)
