"""Who was staff before there were permissions has those of what staff could do."""

from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client

from config.accounts.admin import MEANINGS

pytestmark = pytest.mark.django_db

MIGRATIONS = (
    "chat.migrations.0012_permissions_of_staff",
    "tools.migrations.0010_permissions_of_staff",
    "tracing.migrations.0011_permissions_of_staff",
)

# Permissions to do what staff could not do then.
NEWER = {"chat.change_prompttemplate", "chat.change_quotarule"}


class Editor:
    alias = "default"
    connection: Any = connection


def migrate() -> None:
    for name in MIGRATIONS:
        import_module(name).Migration.operations[-1].code(apps, Editor)


def test_staff_keep_every_permission_that_is_asked_for() -> None:
    User.objects.create_user("staff", is_staff=True)
    User.objects.create_user("plain")
    Permission.objects.filter(codename="add_program").delete()  # as before its first migration
    migrate()
    migrate()
    staff = User.objects.get(username="staff")
    assert staff.get_all_permissions() == set(MEANINGS) - NEWER
    assert not User.objects.get(username="plain").get_all_permissions()


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
