"""The table of `tests.audited`, and that what it says is so."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from audit.models import Action, Event
from chat.agent import skill_folders
from chat.models import Skill
from chat.tests.builders import AConversation, a_model, a_user
from tests.access.routes import RULES
from tests.audited import LINES
from tools.models import Server
from tracing.models import Trace

ROOT = Path(__file__).parent.parent
APPS = ("api", "chat", "config", "tokens", "tools", "tracing")


def test_every_address_that_takes_a_post_has_a_line() -> None:
    changing = {name for name, rules in RULES.items() if any(rule.post for rule in rules)}
    assert changing - set(LINES) == set()
    assert set(LINES) - changing == set()


def test_every_action_is_recorded_somewhere_and_every_one_of_the_table_is_an_action() -> None:
    sources = [path for app in APPS for path in (ROOT / app).rglob("*.py")]
    code = "".join(path.read_text() for path in sources if "tests" not in path.parts)
    recorded = set(re.findall(r"\bAction\.([A-Z_]+)", code)) | {"ADDED", "CHANGED"}
    assert {action.name for action in Action} - recorded == set()


@pytest.fixture
def admin(client: Client, db: None) -> User:
    user = a_user("admin", is_staff=True, is_superuser=True)
    client.force_login(user)
    return user


def recorded() -> list[tuple[str, str]]:
    rows = Event.objects.exclude(action__startswith="sign").order_by("pk")
    return list(rows.values_list("action", "target_type"))


def test_changes_of_providers_and_models_are_recorded(client: Client, admin: User) -> None:
    model = a_model()
    client.post(f"/providers/models/{model.public_id}/offer", {})
    client.post(f"/providers/models/{model.public_id}/delete")
    client.post(f"/providers/{model.provider.public_id}/delete")
    assert recorded() == [
        ("switched", "languagemodel"),
        ("deleted", "languagemodel"),
        ("deleted", "provider"),
    ]


def test_a_switched_skill_and_tool_are_recorded(client: Client, admin: User) -> None:
    skill_folders.refresh()
    skill = Skill.objects.earliest("name")
    client.post(f"/skills/{skill.public_id}/switch", {"on": "0"})
    client.post("/servers/built-in/change", {"tool": "todo_write", "enabled": "off"})
    assert ("switched", "skill") in recorded()


def test_a_deleted_server_is_recorded_without_its_headers(client: Client, admin: User) -> None:
    headers = {"x-key": "sk-canary-1"}
    server = Server.objects.create(
        name="q", transport="http", url="https://q.example", headers=headers
    )
    client.post(f"/servers/{server.public_id}/delete")
    event = Event.objects.get(action="deleted")
    assert event.target_name == "q" and "canary" not in str(event.detail)


def test_a_trace_of_somebody_else_is_recorded_once_an_hour_and_ones_own_never(
    client: Client, admin: User
) -> None:
    theirs = AConversation(a_user("ann")).turn("A secret question", "An answer").trace
    own = AConversation(admin).turn("Mine", "An answer").trace
    for trace in (theirs, theirs, own):
        assert client.get(f"/traces/{trace.public_id}/").status_code == 200

    (event,) = Event.objects.filter(action="trace_read")
    assert event.target_id == str(theirs.public_id) and event.actor == admin
    assert "secret" not in event.target_name + str(event.detail)


def test_who_reads_by_no_permission_leaves_no_row(client: Client, db: None) -> None:
    ann = a_user("ann")
    trace: Trace = AConversation(ann).turn("Mine", "An answer").trace
    client.force_login(ann)
    client.get(f"/traces/{trace.public_id}/")
    assert not Event.objects.filter(action="trace_read").exists()


def test_an_export_of_conversations_says_how_many(client: Client, admin: User) -> None:
    AConversation(admin).turn("One", "Answer")
    client.get("/transfer/all")
    event = Event.objects.get(action="conversations_exported")
    assert event.detail["count"] == 1 and event.actor == admin
