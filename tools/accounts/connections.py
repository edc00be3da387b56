"""People's accounts at servers (OAuth), as pages know them; `tools.accounts.sessions` uses them.

Tokens are encrypted, a row a user and server, and no page shows them.
"""

from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from tools.models import Account, Server


def public_url(view: str) -> str:
    """The address of one of our pages as others see it; a path where nobody has said it."""
    return f"{settings.ROUNDTRIP_URL or 'http://localhost:8000'}{reverse(view)}"


def metadata_url() -> str:
    """Where authorization servers can read about us: only over HTTPS, else empty."""
    return public_url("oauth:client") if settings.ROUNDTRIP_URL.startswith("https://") else ""


def connected(server: Server, user_pk: int) -> Account | None:
    """The user's account there, if it has tokens, and they are for where the server is now: an
    address that was changed later gets nobody's."""
    account = Account.objects.filter(server=server, user=user_pk).first()
    if account is None or not account.tokens or account.client.get("url") != server.url:
        return None
    return account


def has_ended(account: Account) -> bool:
    """Whether its tokens have expired and cannot be renewed."""
    late = account.expires is not None and account.expires < timezone.now()
    return late and not renews(account)


def renews(account: Account) -> bool:
    return "refresh_token" in account.tokens
