"""Django's admin for staff who may look at one kind of rows, and for staff who may look at none."""

import re
from http import HTTPStatus
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model
from django.test import Client

from audit.models import Action, Event
from chat.models import (
    AccountDeletion,
    Attachment,
    CassetteFile,
    DataArchive,
    Import,
    Playground,
    PlaygroundRun,
    Preset,
    Project,
    ProjectFile,
    Provider,
    QuotaRule,
    SharedLink,
    Skill,
    Webhook,
    WebhookDelivery,
)
from chat.tests.builders import AConversation, a_model, a_user
from config.admin_order import ORDER
from jobs import Job
from tokens.models import Token
from tools.models import (
    Account,
    LocalTool,
    Reading,
    Server,
    ServerTool,
    SignIn,
    Trial,
)
from tracing.models import Archive, Trace
from tracing.search.texts import index_trace
from tracing.tests.builders import ATurn, wire

pytestmark = [pytest.mark.django_db, pytest.mark.long]

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
    _rows_of_work(conversation, server)
    return conversation


def _rows_of_work(conversation: AConversation, server: Server) -> None:
    """What people uploaded and asked for; the canary is in everything that is theirs alone."""
    owner = conversation.row.owner
    file: Any = {"name": "quokka.txt", "media_type": "text/plain", "size": 1}
    Attachment.objects.create(owner=owner, content=CANARY.encode(), **file)
    project = Project.objects.create(owner=owner, name="quokka", instructions=CANARY)
    ProjectFile.objects.create(project=project, content=CANARY.encode(), **file)
    Skill.objects.create(name="quokka", source="/nowhere")
    provider = Provider.objects.create(name="Cassette", kind="cassette")
    CassetteFile.objects.create(provider=provider, compressed=CANARY.encode(), size=1, answers=1)
    Account.objects.create(server=server, user=owner, tokens={"access_token": CANARY})
    SignIn.objects.create(server=server, user=owner, authorization_url=CANARY, state_token=CANARY)
    Reading.objects.create(server=server, user=owner, kind="resource", wanted={"uri": CANARY})
    Trial.objects.create(server=server, user=owner, arguments=CANARY, found={"text": CANARY})
    Import.objects.create(user=owner, name="quokka.json", size=1, found={"text": CANARY})
    DataArchive.objects.create(user=owner)
    AccountDeletion.objects.create()
    hook = Webhook.objects.create(owner=owner, url=CANARY, secret=CANARY)
    WebhookDelivery.objects.create(webhook=hook, event="test", key="k", body=CANARY)
    QuotaRule.objects.create(scope="everybody", kind="turns_minute", amount=1)
    Token.objects.make(owner, "quokka", ["read"])
    playground = Playground.objects.create(archive=Archive.objects.create(owner=owner))
    trace = Trace.objects.create(
        archive=playground.archive, owner=owner, kind=Trace.Kind.PLAYGROUND, name="A run"
    )
    PlaygroundRun.objects.create(playground=playground, number=1, trace=trace, draft=CANARY)


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


def test_every_kind_of_job_has_a_page() -> None:
    jobs = {model for model in apps.get_models() if issubclass(model, Job)}
    assert len(jobs) >= 7
    assert jobs <= set(MODELS)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_name_of_a_kind_of_row_is_english(model: type[Model]) -> None:
    """Django makes "o auth client" of `OAuthClient`: such a model says its `verbose_name`."""
    names = f"{model._meta.verbose_name} {model._meta.verbose_name_plural}"
    assert not re.search(r"\b[b-zB-Z]\b", names)


def test_what_the_index_lists_is_in_our_order_and_named_once(client: Client) -> None:
    client.force_login(a_user("admin", is_staff=True, is_superuser=True))
    listed = client.get("/admin/").context["app_list"]
    labels = [app["app_label"] for app in listed]
    assert labels[: len(ORDER)] == [one for one in ORDER if one in labels][: len(labels)]
    models = [model["object_name"] for app in listed for model in app["models"]]
    assert models[:3] == ["Conversation", "Turn", "Message"]
    assert len(models) == len(set(models))
    known = {model.__name__ for model in apps.get_models()}
    assert {name for names in ORDER.values() for name in names} <= known


def test_the_admin_leads_to_dashboard_traces_and_servers_first(client: Client) -> None:
    browser = staff(client, *MODELS)
    assert '"/traces/dashboard/"' not in browser.get("/admin/").content.decode()
    grant = Permission.objects.get(codename="view_dashboard")
    User.objects.get(username="staff").user_permissions.add(grant)
    index = browser.get("/admin/").content.decode()
    main = index[index.index('id="content-main"') :]
    places = ('"/traces/dashboard/"', '"/traces/"', '"/servers/"', "/admin/chat/", "/admin/tools/")
    found = [main.index(place) for place in places]
    assert found == sorted(found)


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
