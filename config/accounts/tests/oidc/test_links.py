"""`manage.py oidc_links`: links that an address made, and their undoing."""

from datetime import timedelta
from io import StringIO

import pytest
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from audit.models import Action, Event
from audit.recording import record
from tokens.commands import make_token
from tokens.models import Token

pytestmark = pytest.mark.django_db


def linked(name: str, verified: object, by: str = "verified address") -> SocialAccount:
    """An account that is older than its link, as releases before the record of claims stored it."""
    email = f"{name}@example.org"
    joined = timezone.now() - timedelta(days=1)
    user = User.objects.create_user(name, email, "a long pass phrase", date_joined=joined)
    userinfo = {"email": email, "email_verified": verified}
    record(Action.ACCOUNT_LINKED, user, user, by=by)
    return SocialAccount.objects.create(
        user=user, provider="oidc", uid=name, extra_data={"userinfo": userinfo}
    )


def links(*arguments: str) -> str:
    out = StringIO()
    call_command("oidc_links", *arguments, stdout=out)
    return out.getvalue()


def test_links_by_address_are_listed_with_what_the_provider_said() -> None:
    linked("kim", "false")
    linked("lee", True)
    linked("max", True, by="settings")
    first, second, *_ = links().splitlines()

    assert "kim@example.org: NOT VERIFIED" in first and "lee@example.org: verified" in second
    assert "max" not in links()


def test_a_link_of_ones_own_in_the_settings_hides_none_by_address() -> None:
    account = linked("kim", "false")
    record(Action.ACCOUNT_LINKED, account.user, account.user, by="settings")

    assert "kim@example.org: NOT VERIFIED" in links()


def test_an_account_that_the_provider_brought_is_no_link_by_address() -> None:
    user = User.objects.create_user("new")
    SocialAccount.objects.create(user=user, provider="oidc", uid="new", extra_data={})

    assert "new" not in links()


def test_a_link_whose_row_has_expired_is_listed_as_such() -> None:
    linked("kim", "false")
    Event.objects.all().delete()

    assert "no row of the audit log" in links()


def test_undoing_a_link_ends_what_its_person_opened_and_is_recorded() -> None:
    account = linked("kim", "false")
    client = Client()
    client.force_login(account.user)
    make_token(account.user, "laptop", ["read"], None)
    links("--undo", str(account.pk))

    assert not SocialAccount.objects.exists() and not Token.objects.usable().exists()
    assert client.get("/settings/").status_code == 302
    assert Event.objects.filter(action=Action.ACCOUNT_UNLINKED, target_name="kim").exists()


def test_an_unknown_link_is_none() -> None:
    with pytest.raises(CommandError, match="no such link"):
        links("--undo", "7")
