"""The permissions that staff are given, and where they are explained."""

import pytest
from django.conf import settings
from django.contrib.auth.models import Permission, User
from django.test import Client

from config.accounts.admin import MEANINGS

pytestmark = pytest.mark.django_db


def test_every_permission_exists(admin_client: Client) -> None:
    for name in MEANINGS:
        app, codename = name.split(".")
        assert Permission.objects.filter(content_type__app_label=app, codename=codename).exists()


def test_the_docs_say_what_each_permission_means() -> None:
    text = (settings.BASE_DIR / "docs" / "operations.md").read_text()
    assert all(f"| `{name}` | " in text for name in MEANINGS)


@pytest.mark.parametrize("page", ["user/{}/change/", "group/add/"])
def test_the_admin_says_what_each_permission_means(
    admin_client: Client, admin_user: User, page: str
) -> None:
    html = admin_client.get(f"/admin/auth/{page.format(admin_user.pk)}").content.decode()
    assert all(f"<b>{name}</b>" in html for name in MEANINGS)


def test_the_admin_says_what_being_staff_means(admin_client: Client, admin_user: User) -> None:
    html = admin_client.get(f"/admin/auth/user/{admin_user.pk}/change/").content.decode()
    assert "Opens this admin, and nothing in it" in html
