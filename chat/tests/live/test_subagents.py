"""Subagents over the real websocket: `watch`, and the events `subagent`. See docs/protocol.md."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, User

from chat.commands.group_sharing import share
from chat.engine.tool_calls.execute import execute
from chat.engine.turn.advance import advance
from chat.models import LanguageModel, Preset, Turn
from chat.tests.engine.delegating import nested, run, task
from chat.tests.live.tabs import Model, Open, Tab, sent, text_of
from limits.web import MAX_WATCHED_SUBAGENTS
from tracing.models import Span

pytestmark = pytest.mark.process

Frame = dict[str, Any]


@pytest.fixture
def agent(model: Model) -> str:
    public_id = model("stub-r0-ask-n5")
    preset = Preset.objects.create(name="Agent", tools=["task", "calculate"])
    LanguageModel.objects.filter(public_id=public_id).update(preset=preset)
    return public_id


def begun(turn: Turn) -> Turn:
    """The turn of its subagent, which no worker has seen yet."""
    advance(turn.pk)
    execute(Span.objects.get(trace=turn.trace, kind=Span.Kind.TOOL).pk)
    (inner,) = nested(turn)
    return inner


def watched(tab: Tab, conversation: str) -> list[Frame]:
    """The next frames of this subagent's."""
    message = tab.next(lambda frame: frame["type"] == "nested")
    assert message["conversation"] == conversation
    found: list[Frame] = message["frames"]
    return found


def test_the_page_of_the_parent_is_told_how_far_each_is(
    opened: Open, owner: User, agent: str
) -> None:
    tab = opened(owner)
    turn = sent(tab, agent, task('call calculate {"expr": "6*7"}'))
    run(turn)
    (inner,) = nested(turn)
    told = tab.events(lambda frame: frame["type"] == "turn" and frame["state"] == "done")
    states = [frame for frame in told if frame["type"] == "subagent"]
    assert {frame["subagent"] for frame in states} == {str(inner.public_id)}
    assert [frame["round"] for frame in states] == sorted(frame["round"] for frame in states)
    assert ["calculate"] in [frame["calls"] for frame in states]
    assert states[-1]["state"] == "done"


def test_tokens_of_a_subagent_do_not_reach_the_parent_s_log(
    opened: Open, owner: User, agent: str
) -> None:
    tab = opened(owner)
    turn = sent(tab, agent, task("hello"))
    run(turn)
    told = tab.events(lambda frame: frame["type"] == "turn" and frame["state"] == "done")
    assert {frame["turn"] for frame in told} == {str(turn.public_id)}


def test_a_watched_subagent_is_followed_beside_its_parent(
    opened: Open, owner: User, agent: str
) -> None:
    tab = opened(owner)
    inner = begun(sent(tab, agent, task("hello")))
    name = str(inner.conversation.public_id)
    tab.tell(type="watch", conversation=name, cursor=None)
    (snapshot,) = watched(tab, name)
    assert snapshot["turns"][0]["turn"] == str(inner.public_id)
    advance(inner.pk)
    frames: list[Frame] = []
    while not frames or frames[-1]["type"] != "turn":
        frames += watched(tab, name)
    inner.refresh_from_db()
    assert inner.answer is not None
    assert text_of(frames) == inner.answer.body["content"]


def test_watching_again_goes_on_after_the_cursor(opened: Open, owner: User, agent: str) -> None:
    tab = opened(owner)
    inner = begun(sent(tab, agent, task("hello")))
    name = str(inner.conversation.public_id)
    advance(inner.pk)
    tab.tell(type="watch", conversation=name, cursor=None)
    (snapshot,) = watched(tab, name)
    incarnation, _ = snapshot["cursor"].split("-")
    tab.tell(type="watch", conversation=name, cursor=f"{incarnation}-1")
    assert watched(tab, name)[0]["id"] == f"{incarnation}-2"


def test_what_is_no_subagent_of_one_s_own_is_not_watched(
    opened: Open, owner: User, agent: str
) -> None:
    turn = sent(opened(owner), agent, task("hello"))
    inner = begun(turn)
    outsider = opened(User.objects.create_user("outsider"))
    mine = opened(owner)
    for tab, conversation in (
        (outsider, inner.conversation),
        (mine, turn.conversation),
    ):
        answer = tab.ask(type="watch", conversation=str(conversation.public_id), cursor=None)
        assert (answer["type"], answer["code"]) == ("error", "unknown")


def test_who_leaves_the_group_watches_no_subagent_any_more(
    opened: Open, owner: User, agent: str
) -> None:
    """Whatever the socket has open beside it."""
    turn = sent(opened(owner), agent, task("hello"))
    inner = begun(turn)
    member, group = User.objects.create_user("member"), Group.objects.create(name="Quokkas")
    group.user_set.add(owner, member)
    share(owner, turn.conversation, group.pk, to_write=False)
    tab = opened(member)
    name = str(inner.conversation.public_id)
    tab.tell(type="watch", conversation=name, cursor=None)
    watched(tab, name)
    group.user_set.remove(member)
    ended = tab.next(lambda frame: frame["type"] == "error")
    assert (ended["code"], ended["conversation"]) == ("unknown", name)
    advance(inner.pk)
    tab.tell(type="ping")
    assert tab.next()["type"] == "pong"


def test_its_conversation_cannot_be_opened_in_place_of_another(
    opened: Open, owner: User, agent: str
) -> None:
    tab = opened(owner)
    inner = begun(sent(tab, agent, task("hello")))
    name = str(inner.conversation.public_id)
    assert opened(owner).ask(type="open", conversation=name, cursor=None)["code"] == "unknown"


def test_a_socket_watches_so_many(opened: Open, owner: User, agent: str) -> None:
    tab = opened(owner)
    turn = sent(tab, agent, "\n".join(task(f"part {n}") for n in range(MAX_WATCHED_SUBAGENTS + 1)))
    advance(turn.pk)
    for call in Span.objects.filter(trace=turn.trace, kind=Span.Kind.TOOL):
        execute(call.pk)
    for inner in nested(turn):
        tab.tell(type="watch", conversation=str(inner.conversation.public_id), cursor=None)
    refused = tab.next(lambda frame: frame["type"] == "error")
    assert refused["code"] == "too_many"


def test_a_reloaded_page_knows_where_each_stands(opened: Open, owner: User, agent: str) -> None:
    turn = sent(opened(owner), agent, task("hello"))
    inner = begun(turn)
    tab = opened(owner)
    tab.tell(type="open", conversation=str(turn.conversation.public_id), cursor=None)
    snapshot = tab.next(lambda frame: frame["type"] == "snapshot")
    (standing,) = snapshot["turns"][0]["subagents"]
    (call,) = snapshot["turns"][0]["calls"]
    assert (standing["call"], standing["state"]) == (call["call"], "queued")
    assert call["subagent"] == str(inner.conversation.public_id)
