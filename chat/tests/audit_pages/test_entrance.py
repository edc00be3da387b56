"""By which door and from where a real request came, through the server and its threads."""

from typing import Any

import httpx2
from django.contrib.auth.models import User

from audit.models import Event
from chat.tests.live.conftest import server
from tests.signing_in import session_cookie

__all__ = ["server"]


def test_a_row_has_the_address_that_the_rate_limits_use(
    server: str, transactional_db: None, settings: Any
) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    admin = User.objects.create_superuser("admin")
    headers = {"cookie": session_cookie(admin), "x-forwarded-for": "203.0.113.9, 192.0.2.7"}

    answer = httpx2.get(f"{server}/audit/export.jsonl", headers=headers)

    assert answer.status_code == 200
    event = Event.objects.get(action="log_exported")
    assert (event.door, event.address, event.actor) == ("page", "192.0.2.7", admin)
