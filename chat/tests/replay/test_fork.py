"""A fork has the messages up to a round, and goes on as a conversation of its own."""

import uuid
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from django.contrib.auth.models import User
from django.test import Client

from chat import workspaces
from chat.attachments import uploads
from chat.commands import fork as forks
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.engine.context import history
from chat.errors import Rejected
from chat.models import Attachment, Conversation, LanguageModel, Message, Turn
from chat.tests import builders
from chat.tests.builders import AConversation, ATurn, a_model
from tracing.models import Action
from tracing.tests.builders import a_user

pytestmark = pytest.mark.django_db(transaction=True)

CALLS: tuple[tuple[str, Any], ...] = (("sqlite-list", {}), ("sqlite-read", {"query": "SELECT 1"}))


@pytest.fixture
def model() -> LanguageModel:
    return a_model("qwen")


@pytest.fixture
def owner() -> User:
    return a_user()


@pytest.fixture
def conversation(owner: User, model: LanguageModel) -> AConversation:
    """A system message, a turn with an answer, and one of two rounds, the first with calls."""
    made = AConversation(owner, "Tables", model=model, tools={"servers": ["sqlite"], "off": []})
    body = {"role": "system", "content": "You count."}
    Message.objects.create(conversation=made.row, role="system", body=body)
    made.turn("How many?", "Three.", model=model)
    return made


@pytest.fixture
def turn(conversation: AConversation, model: LanguageModel) -> ATurn:
    turn = conversation.turn("And rows?", model=model)
    for call in turn.round("Let me look.", CALLS):
        turn.end_call(call, f"result {call.number}")
    turn.round("Seven.")
    chain(conversation.row)
    return turn


def chain(conversation: Conversation) -> None:
    """The builders leave the messages without parents."""
    before = None
    for message in conversation.messages.order_by("id"):
        Message.objects.filter(pk=message.pk).update(parent=before)
        before = message
    for turn in conversation.turns.all():
        answers = turn.messages.filter(role="assistant").order_by("-id")
        Turn.objects.filter(pk=turn.pk).update(answer=answers.first())


def forked(turn: ATurn, number: int | None, user: User | None = None) -> Conversation:
    return forks.fork(user or turn.conversation.owner, turn.trace, number).conversation


def texts(conversation: Conversation) -> list[str]:
    return [message.body["content"] for message in conversation.messages.order_by("id")]


def next_request(conversation: Conversation, text: str) -> list[Any]:
    """The history that the next question is sent with."""
    sent = send_message(
        conversation.owner,
        NewMessage(key=str(uuid.uuid4()), text=text, conversation_id=conversation.public_id),
    )
    return [dict(message) for message in history.read(sent).messages]


SO_FAR = ["You count.", "How many?", "Three."]
FIRST_ROUND = [*SO_FAR, "And rows?", "Let me look.", "result 1", "result 2"]


@pytest.mark.parametrize(
    ("number", "expected"),
    [(None, SO_FAR), (1, FIRST_ROUND), (2, [*FIRST_ROUND, "Seven."])],
)
def test_a_fork_has_the_messages_up_to_the_round(
    turn: ATurn, number: int | None, expected: list[str]
) -> None:
    assert texts(forked(turn, number)) == expected


@pytest.mark.parametrize("number", [None, 1, 2])
def test_the_next_question_is_sent_behind_them(
    turn: ATurn, number: int | None, broker: Celery
) -> None:
    made = forked(turn, number)
    expected = [dict(message.body) for message in made.messages.order_by("id")]
    asked = {"role": "user", "content": "Go on"}
    assert next_request(made, "Go on") == [*expected, asked]


def test_a_fork_is_like_the_first_but_of_its_own(turn: ATurn) -> None:
    made = forked(turn, 2)
    assert (made.title, made.model, made.tools) == (
        "Tables (fork)",
        turn.conversation.model,
        turn.conversation.tools,
    )
    assert made.archive != turn.conversation.archive
    assert (made.forked_from, made.forked_round) == (turn.trace, 2)
    assert [row.status for row in made.turns.order_by("id")] == ["done", "done"]
    assert not made.turns.exclude(trace=None).exists()
    assert turn.conversation.messages.count() == 8


def test_what_a_search_found_is_sent_in_the_fork_too(turn: ATurn) -> None:
    turn.conversation.activated = ["weather-now"]
    turn.conversation.save()
    assert forked(turn, 1).activated == ["weather-now"]


def test_a_fork_of_a_fork_is_called_one_fork(turn: ATurn) -> None:
    Conversation.objects.update(title="Tables (fork)")
    assert forked(turn, 2).title == "Tables (fork)"


def test_a_fork_is_an_action_on_the_trace(turn: ATurn) -> None:
    made = forked(turn, 1)
    action = Action.objects.get(trace=turn.trace, kind="fork")
    assert action.user == turn.conversation.owner
    assert action.detail == {"round": 1, "conversation": str(made.public_id)}


def test_a_round_that_is_not_complete_cannot_be_forked(conversation: AConversation) -> None:
    turn = conversation.turn("And rows?", status="streaming")
    turn.round("Let me look.", CALLS)
    chain(conversation.row)
    with pytest.raises(Rejected, match="not complete yet"):
        forked(turn, 1)
    assert texts(forked(turn, None)) == SO_FAR


def test_the_complete_round_of_an_open_turn_can_be_forked(conversation: AConversation) -> None:
    turn = conversation.turn("And rows?", status="streaming")
    for call in turn.round("Let me look.", CALLS):
        turn.end_call(call, f"result {call.number}")
    chain(conversation.row)
    made = forked(turn, 1)
    assert texts(made) == FIRST_ROUND
    assert not made.turns.open().exists()


def test_the_question_waits_in_the_composer_until_something_is_asked(
    turn: ATurn, broker: Celery, client: Client
) -> None:
    made = forked(turn, None)
    client.force_login(made.owner)
    assert 'data-draft="And rows?"' in client.get(made.get_absolute_url()).content.decode()
    next_request(made, "Something else")
    assert "data-draft=" not in client.get(made.get_absolute_url()).content.decode()


def test_before_the_first_question_there_is_the_presets_prompt(
    conversation: AConversation, turn: ATurn
) -> None:
    first = conversation.row.turns.order_by("id")[0]
    assert first.trace is not None
    made = forks.fork(conversation.row.owner, first.trace, None).conversation
    assert texts(made) == ["You count."]


def test_attachments_are_copied_and_named_anew(
    conversation: AConversation, turn: ATurn, broker: Celery
) -> None:
    own = uploads.upload(conversation.row.owner, "notes.txt", b"seven")
    sent = send_message(
        conversation.row.owner,
        NewMessage(
            key="k",
            text="Read this",
            conversation_id=conversation.row.public_id,
            attachment_ids=[own.public_id],
        ),
    )
    assert sent.question is not None
    assert sent.trace is not None
    span = sent.trace.spans.create(kind="round", number=1)
    generation = sent.trace.spans.create(kind="generation", parent=span)
    Message.objects.create(
        conversation=conversation.row,
        turn=sent,
        parent=sent.question,
        role="assistant",
        body={"role": "assistant", "content": "Seven."},
        span=generation,
    )
    made = forks.fork(conversation.row.owner, sent.trace, 1).conversation
    copied = Attachment.objects.get(message__conversation=made)
    assert copied.public_id != own.public_id
    assert bytes(copied.content) == b"seven"
    (question,) = made.messages.filter(body__contains="Read this")
    assert f"attachment:{copied.public_id}" in str(question.body)
    assert str(own.public_id) not in str(question.body)
    before = forks.fork(conversation.row.owner, sent.trace, None).conversation
    unasked = forks.unasked(before)
    assert unasked is not None
    assert [one["id"] for one in unasked.attachments] == [str(own.public_id)]


def test_the_workspace_is_copied_without_links(turn: ATurn, settings: Any, tmp_path: Path) -> None:
    settings.WORKSPACES = tmp_path
    folder = workspaces.folder(turn.conversation.public_id)
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "data.txt").write_text("7")
    (folder / "link").symlink_to("/etc/passwd")
    made = workspaces.folder(forked(turn, 2).public_id)
    assert (made / "inner" / "data.txt").read_text() == "7"
    assert not (made / "link").exists()


def test_a_large_workspace_is_left_and_said_so(
    turn: ATurn, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WORKSPACES = tmp_path
    monkeypatch.setattr(forks, "MAX_FORKED_BYTES", 3)
    folder = workspaces.folder(turn.conversation.public_id)
    folder.mkdir()
    (folder / "data.txt").write_text("1234")
    made = forks.fork(turn.conversation.owner, turn.trace, 2)
    assert "were not copied" in made.note
    assert not workspaces.folder(made.conversation.public_id).exists()


def test_the_page_of_a_fork_shows_its_turns_and_leads_back(turn: ATurn, client: Client) -> None:
    client.force_login(turn.conversation.owner)
    address = f"{turn.trace.get_absolute_url()}rounds/1/fork"
    page = client.post(address, follow=True).content.decode()
    assert "Tables (fork)" in page
    assert "Forked after round 1 of" in page
    assert f"{turn.trace.get_absolute_url()}?round=1" in page
    assert "result 2" in page


def test_a_round_that_is_not_there_is_not_forked(turn: ATurn, client: Client) -> None:
    client.force_login(turn.conversation.owner)
    assert client.post(f"{turn.trace.get_absolute_url()}rounds/9/fork").status_code == 404
    assert client.get(f"{turn.trace.get_absolute_url()}rounds/1/fork").status_code == 405


def test_anothers_trace_is_not_there(turn: ATurn, client: Client) -> None:
    client.force_login(a_user())
    assert client.post(f"{turn.trace.get_absolute_url()}rounds/1/fork").status_code == 404
    assert Conversation.objects.count() == 1


def test_staff_fork_into_a_conversation_of_their_own_without_files(
    turn: ATurn, settings: Any, tmp_path: Path
) -> None:
    settings.WORKSPACES = tmp_path
    folder = workspaces.folder(turn.conversation.public_id)
    folder.mkdir()
    (folder / "data.txt").write_text("7")
    staff = builders.a_user("staff", is_staff=True, is_superuser=True)
    made = forked(turn, 2, staff)
    assert made.owner == staff
    assert not workspaces.folder(made.public_id).exists()
