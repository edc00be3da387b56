"""The line of messages in two tabs: each change is told to both."""

from collections.abc import Callable

from django.contrib.auth.models import User

from chat.commands import deletion, queue
from chat.models import Conversation, Turn
from chat.tests.live.tabs import Open, Tab

Model = Callable[[str], str]


def _waiting(tab: Tab, model: str, *texts: str) -> list[str]:
    """The ids of turns in line, behind one that nobody runs."""
    first = tab.ask(type="send", key="first", conversation=None, model=model, text="first")
    assert first["waits"] is False
    turns = []
    for text in texts:
        sent = {"conversation": first["conversation"], "model": model, "text": text}
        answer = tab.ask(type="send", key=text, **sent)
        assert answer["waits"] is True
        turns.append(answer["turn"])
    return turns


def _other(opened: Open, owner: User) -> Tab:
    """A second tab with the conversation of the first."""
    other = opened(owner)
    conversation = Conversation.objects.get()
    snapshot = other.ask(type="open", conversation=str(conversation.public_id), cursor=None)
    assert [turn["waits"] for turn in snapshot["turns"]] == [False, True, True]
    return other


def _line(tab: Tab) -> list[str]:
    turns: list[str] = tab.next(lambda frame: frame["type"] == "queue")["turns"]
    return turns


def test_both_tabs_are_told_the_line(opened: Open, owner: User, model: Model) -> None:
    tab = opened(owner)
    a, b = _waiting(tab, model("stub-n5"), "a", "b")
    other = _other(opened, owner)
    turn = Turn.objects.get(public_id=b)
    queue.move(owner, turn.public_id, Turn.objects.get(public_id=a).public_id)
    assert _line(other) == [b, a]
    deletion.withdraw(owner, turn.public_id)
    assert other.next(lambda frame: frame["type"] == "removed")["turns"] == [b]
    assert _line(other) == [a]
    deletion.restore(owner, turn.public_id)
    assert _line(other) == [b, a]


def test_a_deletion_is_told_with_all_that_follows(opened: Open, owner: User, model: Model) -> None:
    tab = opened(owner)
    waiting = _waiting(tab, model("stub-n5"), "a", "b")
    other = _other(opened, owner)
    first = Turn.objects.get(client_key="first")
    deletion.delete(owner, first.public_id)
    removed = other.next(lambda frame: frame["type"] == "removed")["turns"]
    assert removed == [str(first.public_id), *waiting]
    assert _line(other) == []
