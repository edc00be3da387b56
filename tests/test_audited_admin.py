"""Every change through Django's admin has a row in the audit log."""

from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db.models import Model
from django.forms import ModelForm
from django.test import Client, RequestFactory

from audit.models import Event
from chat.tests.builders import a_model, a_user
from config.admin_site import Audited
from tools.models import LocalTool

pytestmark = pytest.mark.django_db
MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_the_page_of_every_model_records_what_it_changes(
    model: type[Model], rf: RequestFactory
) -> None:
    page = admin.site._registry[model]
    request = rf.post("/admin/")
    request.user = a_user("admin", is_superuser=True)
    row = with_relations(model(pk=7))

    page.log_addition(request, row, [{"added": {}}])
    page.log_change(request, row, [{"changed": {"fields": ["Name", "Key"]}}])
    page.log_deletions(request, [row])  # type: ignore[arg-type]

    assert isinstance(page, Audited)
    events = Event.objects.order_by("pk").values_list("action", "actor_name", "target_type")
    name = model._meta.model_name
    assert list(events) == [
        ("row_added", "admin", name),
        ("row_changed", "admin", name),
        ("row_deleted", "admin", name),
    ]
    changed = Event.objects.get(action="row_changed")
    assert changed.detail == {"changes": ["Name", "Key"]}


def with_relations(row: Model) -> Model:
    """The row with a row in each required column for one, since a title may name it."""
    for field in row._meta.fields:
        if field.is_relation and not field.null and field.related_model is not None:
            setattr(row, field.name, field.related_model(pk=7))
    return row


def changed_form(page: str, client: Client, **changes: Any) -> None:
    """Posts the form of a page of the admin as a browser would, with these changes."""
    shown = client.get(page)
    form: ModelForm[Any] = shown.context["adminform"].form
    values = {name: form[name].value() for name in form.fields}
    posted = {name: "" if value is None else value for name, value in values.items()}
    response = client.post(page, {**posted, **changes})
    assert response.status_code == 302, response.context["adminform"].form.errors


def test_a_changed_row_is_named_with_its_fields_by_the_real_page(admin_client: Client) -> None:
    tool = LocalTool.objects.create(name="clock", enabled=True)

    changed_form(f"/admin/tools/localtool/{tool.pk}/change/", admin_client, policy="ask")

    event = Event.objects.get(action="row_changed")
    assert (event.target_name, event.door, event.address) == ("clock", "admin", "127.0.0.1")
    assert event.detail == {"changes": ["Policy"]}


def test_membership_and_rights_are_changes_too(admin_client: Client) -> None:
    group, ann = Group.objects.create(name="research"), a_user("ann")
    page = f"/admin/auth/user/{ann.pk}/change/"
    times = {"date_joined_0": "2026-01-01", "date_joined_1": "10:00:00"}

    changed_form(page, admin_client, groups=[group.pk], is_staff="on", **times)

    fields = Event.objects.get(action="row_changed").detail["changes"]
    assert {"Groups", "Staff status"} <= set(fields)


def test_rows_deleted_at_once_have_a_row_each(admin_client: Client) -> None:
    rows = [Group.objects.create(name=name) for name in ("one", "two")]
    chosen = {"action": "delete_selected", "post": "yes"}

    posted = {**chosen, "_selected_action": [row.pk for row in rows]}
    admin_client.post("/admin/auth/group/", posted)

    names = Event.objects.filter(action="row_deleted").values_list("target_name", flat=True)
    assert sorted(names) == ["one", "two"]


def test_no_secret_of_a_provider_is_in_a_row(admin_client: Client) -> None:
    provider = a_model().provider
    page = f"/admin/chat/provider/{provider.pk}/change/"

    changed_form(page, admin_client, api_key="sk-canary-1234567890")

    event = Event.objects.get(action="row_changed")
    assert "canary" not in str(event.detail) + event.target_name
