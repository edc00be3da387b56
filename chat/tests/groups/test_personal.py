"""What is personal to somebody is not said where others write."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from chat import offering
from chat.agent import memory, own_settings
from chat.commands.decide import decide_call
from chat.engine.tool_calls import policies
from chat.engine.tool_calls.policies import Verdict
from chat.errors import Rejected
from chat.models import Conversation, Fact, PersonalSettings, Turn
from chat.tests.builders import AConversation
from chat.tests.groups.conftest import Send
from tools.models import Server
from tools.values.server_config import NeedsAccount, ServerConfig
from tools.values.tool import Tool
from tracing.models import Span


@pytest.fixture(autouse=True)
def personal(owner: User, member: User) -> None:
    for user in (owner, member):
        PersonalSettings.change(user, instructions=f"I am {user}.", has_memory=True)
        Fact.objects.create(owner=user, number=1, text=f"Of {user}.")


def again(turn: Turn) -> Turn:
    return Turn.objects.select_related("conversation", "user__personal").get(pk=turn.pk)


def test_the_owner_s_are_said_while_others_only_read(
    to_read: AConversation, owner: User, send: Send
) -> None:
    said = own_settings.prompt_texts(again(send(owner, to_read)))
    assert "I am owner" in said["custom_instructions"] and "Of owner" in said["memory"]


@pytest.mark.parametrize("who", ["owner", "member"])
def test_nothing_personal_is_in_a_request_where_others_write(
    to_write: AConversation, send: Send, who: str, request: pytest.FixtureRequest
) -> None:
    user = request.getfixturevalue(who)
    Conversation.objects.update(instructions="For all.")
    turn = again(send(user, to_write))
    said = "".join(own_settings.prompt_texts(turn).values())
    assert "For all." in said
    assert "owner" not in said and "bob" not in said
    offered = {tool.name for tool in offering.of(turn.conversation, turn.model, turn.user)}
    assert not offered & memory.NAMES


def test_memory_comes_back_when_nobody_else_writes(
    conversation: AConversation, owner: User, send: Send
) -> None:
    assert memory.is_on(again(send(owner, conversation)))


def a_tool(server: str = "mail", **config: Any) -> Tool:
    made = ServerConfig(server, "http", **config)
    return Tool(f"{server}-send", "", {}, server=server, tool="send", hash="x", config=made)


def test_a_call_with_an_account_of_the_owner_waits_for_the_owner(to_write: AConversation) -> None:
    to_write.row.refresh_from_db()
    allowed = Verdict(Span.Status.APPROVED)
    with_account = a_tool(sign_in=NeedsAccount(1))
    assert policies.asks_owner(with_account, to_write.row, of_member=False)
    waits = policies.with_owner(allowed, with_account, to_write.row)
    assert waits.status == Span.Status.AWAITING_APPROVAL
    Conversation.objects.update(granted=[{"tool": "mail-send", "hash": "x"}])
    to_write.row.refresh_from_db()
    assert policies.with_owner(allowed, with_account, to_write.row) == allowed


def test_a_call_to_a_server_of_the_owner_s_own_waits_too(
    to_write: AConversation, owner: User
) -> None:
    to_write.row.refresh_from_db()
    assert not policies.asks_owner(a_tool(), to_write.row, of_member=True)
    Server.objects.create(name="mail", transport="http", url="https://m.example/", owner=owner)
    assert policies.asks_owner(a_tool(), to_write.row, of_member=True)


def test_nobody_is_asked_more_where_others_only_read(to_read: AConversation) -> None:
    with_account = a_tool(sign_in=NeedsAccount(1))
    assert not policies.asks_owner(with_account, to_read.row, of_member=False)


@pytest.fixture
def waiting(to_write: AConversation, member: User, send: Send) -> Span:
    turn = send(member, to_write)
    assert turn.trace is not None
    return Span.objects.create(
        trace=turn.trace,
        kind=Span.Kind.TOOL,
        name="mail-send",
        status=Span.Status.AWAITING_APPROVAL,
    )


def test_the_author_allows_a_call_once_and_it_says_who_did(waiting: Span, member: User) -> None:
    with pytest.raises(Rejected, match="Only the owner"):
        decide_call(waiting, approve=True, for_conversation=True, user=member)
    assert decide_call(waiting, approve=True, user=member)
    waiting.refresh_from_db()
    assert waiting.attributes["decision"]["by"] == "bob"


def test_the_author_does_not_allow_a_call_with_the_owner_s_account(
    waiting: Span, member: User, owner: User
) -> None:
    waiting.attributes = {"asks_owner": True}
    waiting.save()
    with pytest.raises(Rejected, match="only they can"):
        decide_call(waiting, approve=True, user=member)
    assert decide_call(waiting, approve=True, user=owner)


def test_the_author_may_deny_it(waiting: Span, member: User) -> None:
    waiting.attributes = {"asks_owner": True}
    waiting.save()
    assert decide_call(waiting, approve=False, user=member)
