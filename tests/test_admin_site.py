"""Django's admin for staff who may look at one kind of rows, and for staff who may look at none."""

from http import HTTPStatus

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model
from django.test import Client

from audit.models import Action, Event
from chat.models import Preset, Provider, SharedLink
from chat.tests.builders import AConversation, a_model, a_user
from tools.models import LocalTool, Server, ServerTool
from tracing.search.texts import index_trace
from tracing.tests.builders import ATurn, wire

pytestmark = pytest.mark.django_db

CANARY = "sk-canary-0123456789"
MODELS = sorted(admin.site._registry, key=lambda model: model.__name__)
QUERIES = ("", "quokka", "5c1f2ac0-7e59-4d0a-b9e6-0d8b9a1f0c11")


@pytest.fixture(autouse=True)
def rows() -> AConversation:
    """One row of everything, all with the same word."""
    conversation = AConversation(a_user("owner", email="owner@example.org"), "A quokka")
    conversation.turn("How many quokkas?", "Three quokkas.", model=a_model())
    SharedLink.objects.create(
        owner=conversation.row.owner,
        conversation=conversation.row,
        digest="d",
        token=CANARY,
        audience=SharedLink.Audience.SIGNED_IN,
    )
    Provider.objects.create(name="quokka", base_url="https://m.example/v1", api_key=CANARY)
    server = Server.objects.create(
        name="quokka", transport="http", url="https://q.example/mcp", headers={"x-key": CANARY}
    )
    ServerTool.objects.create(server=server, name="quokka", position=1, input_schema={})
    LocalTool.objects.create(name="clock", enabled=True)
    Preset.objects.create(name="quokka")
    Group.objects.create(name="quokka")
    Event.objects.create(action=Action.SIGNED_IN, actor_name="quokka")
    return conversation


def staff(client: Client, *models: type[Model]) -> Client:
    user = a_user("staff", is_staff=True)
    for model in models:
        content = ContentType.objects.get_for_model(model)
        view = f"view_{model._meta.model_name}"
        user.user_permissions.add(Permission.objects.get(content_type=content, codename=view))
    client.force_login(user)
    return client


def place(model: type[Model]) -> str:
    return f"/admin/{model._meta.app_label}/{model._meta.model_name}/"


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_who_may_look_at_a_model_can_open_it_and_sees_no_secret(
    client: Client, model: type[Model]
) -> None:
    staff(client, model)
    row = model._default_manager.order_by("pk").last()
    assert row is not None
    pages = [*(f"{place(model)}?q={query}" for query in QUERIES), f"{place(model)}{row.pk}/change/"]
    for page in pages:
        response = client.get(page)
        assert response.status_code == HTTPStatus.OK, page
        assert CANARY not in response.content.decode()


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_who_may_not_gets_nothing_of_it(client: Client, model: type[Model]) -> None:
    staff(client)
    row = model._default_manager.order_by("pk").last()
    assert row is not None
    for page in (place(model), f"{place(model)}?q=quokka", f"{place(model)}{row.pk}/change/"):
        response = client.get(page)
        assert response.status_code == HTTPStatus.FORBIDDEN
        assert "quokka" not in response.content.decode()


def test_the_admin_leads_to_the_traces_and_the_dashboard_first(client: Client) -> None:
    browser = staff(client, *MODELS)
    assert '"/traces/dashboard/"' not in browser.get("/admin/").content.decode()
    grant = Permission.objects.get(codename="view_dashboard")
    User.objects.get(username="staff").user_permissions.add(grant)
    index = browser.get("/admin/").content.decode()
    main = index[index.index('id="content-main"') :]
    assert 0 < main.index('"/traces/"') < main.index('"/traces/dashboard/"')
    assert main.index('"/traces/dashboard/"') < main.index("/admin/chat/")


@pytest.fixture
def trace() -> ATurn:
    """A trace with a word that is in its texts alone."""
    turn = ATurn(a_user("asker", email="asker@example.org"), name="A question")
    turn.a_round(1, (0, 9))
    turn.a_generation({"output": wire({"message": {"content": "a platypus"}})}, (0, 9))
    turn.end(10)
    index_trace(turn.trace)
    return turn


@pytest.mark.parametrize("query", ["platypus", "asker@example.org", "span", "archive", "question"])
def test_traces_are_found_by_texts_ids_and_e_mail(client: Client, trace: ATurn, query: str) -> None:
    ids = {"span": str(trace.root.public_id), "archive": str(trace.archive.public_id)}
    client.force_login(a_user("admin", is_staff=True, is_superuser=True))
    page = client.get("/admin/tracing/trace/", {"q": ids.get(query, query)}).content.decode()
    assert str(trace.trace.public_id) in page


def test_texts_find_a_conversation_only_for_who_may_see_traces(
    client: Client, rows: AConversation, trace: ATurn
) -> None:
    type(trace.trace).objects.filter(pk=trace.trace.pk).update(archive=rows.row.archive)
    address = f"/admin/chat/conversation/{rows.row.pk}/change/"
    staff(client, type(rows.row))
    assert address not in client.get("/admin/chat/conversation/?q=platypus").content.decode()
    client.logout()
    client.force_login(a_user("admin", is_staff=True, is_superuser=True))
    assert address in client.get("/admin/chat/conversation/?q=platypus").content.decode()
