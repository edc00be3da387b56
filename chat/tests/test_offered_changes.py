"""What a turn offers its model follows every change at once, whoever made it and however: what is
kept of definitions is kept by their columns, which are read for each turn."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from chat import offering
from chat.agent import skills
from chat.engine.tool_calls.policies import judge
from chat.models import Conversation, LanguageModel, Preset, Provider, Skill
from tools.catalogue import registry, switches
from tools.models import Policy, Server, ServerTool
from tracing.models import Archive, Span

pytestmark = pytest.mark.django_db

Change = Callable[[User, Server], object]


@pytest.fixture
def owner() -> User:
    return User.objects.create_user("owner")


@pytest.fixture
def server(owner: User) -> Server:
    server = Server.objects.create(name="notes", command="x", policy=Policy.ASK)
    for position, name in enumerate(("read", "write")):
        ServerTool.objects.create(
            server=server,
            name=name,
            position=position,
            description="It",
            input_schema={"type": "object"},
            hash="h",
            approved_hash="h",
        )
    return server


def _tools(owner: User) -> list[object]:
    return [
        (tool.name, tool.description, tool.parameters, tool.policy, tool.hash, tool.config)
        for tool in registry.usable(owner)
    ]


def _revoke(owner: User, server: Server) -> None:
    Server.objects.filter(pk=server.pk).update(shared=Server.Shared.CHOSEN)


CHANGES: dict[str, Change] = {
    "server off": lambda _, server: Server.objects.filter(pk=server.pk).update(enabled=False),
    "server's policy": lambda _, server: Server.objects.filter(pk=server.pk).update(policy="deny"),
    "server's command": lambda _, server: Server.objects.filter(pk=server.pk).update(command="y"),
    "server's secret": lambda _, server: _with_secret(server),
    "server deleted": lambda _, server: server.delete(),
    "not shared": _revoke,
    "tool off": lambda *_: ServerTool.objects.filter(name="read").update(enabled=False),
    "tool's policy": lambda *_: ServerTool.objects.filter(name="read").update(policy="allow"),
    "tool changed": lambda *_: ServerTool.objects.filter(name="read").update(hash="other"),
    "tool approved": lambda *_: ServerTool.objects.filter(name="read").update(
        hash="other", approved_hash="other", description="More"
    ),
    "tool removed": lambda *_: ServerTool.objects.filter(name="read").delete(),
    "local tool off": lambda *_: switches.switch("calculate", enabled=False),
    "local tool's policy": lambda *_: switches.switch("calculate", policy="ask"),
}


def _with_secret(server: Server) -> None:
    server.env = {"KEY": "changed"}
    server.save(update_fields=["env"])


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_the_next_turn_has_the_change(change: Change, owner: User, server: Server) -> None:
    before = _tools(owner)
    assert before == _tools(owner)
    change(owner, server)
    assert _tools(owner) != before


def test_a_server_is_offered_again_when_it_is_shared_again(owner: User, server: Server) -> None:
    before = _tools(owner)
    _revoke(owner, server)
    assert registry.find("notes-read", owner) is None
    server.shared_with.add(owner)
    assert _tools(owner) == before
    found = registry.find("notes-read", owner)
    assert found is not None and found.server == "notes"


def test_one_user_s_tools_are_not_another_s(owner: User, server: Server) -> None:
    _tools(owner)
    _revoke(owner, server)
    server.shared_with.add(owner)
    assert registry.find("notes-read", owner) is not None
    assert registry.find("notes-read", User.objects.create_user("other")) is None


@pytest.fixture
def conversation(owner: User, server: Server) -> Conversation:
    archive = Archive.objects.create(owner=owner)
    preset = Preset.objects.create(name="All", owner=owner)
    return Conversation.objects.create(owner=owner, archive=archive, preset=preset)


@pytest.fixture
def model() -> LanguageModel:
    provider = Provider.objects.create(name="P", base_url="http://127.0.0.1:9/v1")
    return LanguageModel.objects.create(provider=provider, name="m")


def _offer(conversation: Conversation, model: LanguageModel) -> list[str]:
    fresh = Conversation.objects.select_related("preset").get(pk=conversation.pk)
    return [tool.name for tool in offering.of(fresh, model, fresh.owner)]


def test_an_assistant_s_servers_and_a_conversation_s_choice_count_at_once(
    conversation: Conversation, model: LanguageModel
) -> None:
    assert "notes-read" in _offer(conversation, model)
    Preset.objects.update(servers=[])
    assert "notes-read" not in _offer(conversation, model)
    choice = {"servers": ["notes"], "off": ["notes-write"], "on": []}
    Conversation.objects.filter(pk=conversation.pk).update(tools=choice)
    assert _offer(conversation, model) == ["notes-read"]


def test_a_grant_counts_for_the_next_call(
    conversation: Conversation, model: LanguageModel, owner: User
) -> None:
    tool = registry.find("notes-read", owner)
    assert tool is not None
    assert judge(tool.name, tool, None, conversation).status == Span.Status.AWAITING_APPROVAL
    grant = [{"tool": "notes-read", "hash": "h"}]
    Conversation.objects.filter(pk=conversation.pk).update(granted=grant)
    granted = Conversation.objects.by_key(conversation.pk)
    assert judge(tool.name, tool, None, granted).status == Span.Status.APPROVED


def test_a_skill_that_is_switched_off_is_not_listed(
    conversation: Conversation, model: LanguageModel
) -> None:
    Skill.objects.create(name="tidy", description="Tidies", source="/x", enabled=True)
    assert [skill.name for skill in skills.offered(conversation, model, conversation.owner)] == [
        "tidy"
    ]
    Skill.objects.update(enabled=False)
    assert skills.offered(conversation, model, conversation.owner) == []
