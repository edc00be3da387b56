"""Messages that come by the websocket."""

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User

from chat.models import Conversation, LanguageModel, Preset, Turn
from chat.tests.engine.conftest import answer_rings
from chat.tests.live.tabs import Frame, Model, Open, is_over, sent, text_of
from tests.signing_in import session_cookie


def test_an_accepted_message_is_stored(opened: Open, owner: User, model: Model) -> None:
    tab = opened(owner)
    answer = tab.ask(type="send", key="k", conversation=None, model=model("stub-n5"), text="你好")
    turn = Turn.objects.get(client_key="k")
    assert turn.question is not None
    assert turn.question.body == {"role": "user", "content": "你好"}
    assert answer == {
        "type": "accepted",
        "key": "k",
        "conversation": str(turn.conversation.public_id),
        "turn": str(turn.public_id),
        "message": str(turn.question.public_id),
        "waits": False,
    }


def test_a_new_conversation_has_the_preset_that_is_named(
    opened: Open, owner: User, model: Model
) -> None:
    made = Preset.objects.create(owner=owner, name="Mine", system_prompt="Be kind.")
    frame = {"key": "k", "conversation": None, "model": model("stub-n5"), "text": "hello"}
    opened(owner).ask(type="send", **frame, preset=str(made.public_id))
    turn = Turn.objects.select_related("question__parent").get()
    assert turn.conversation.preset == made
    assert turn.question is not None
    assert turn.question.parent is not None
    assert turn.question.parent.body["content"] == "Be kind."


def test_a_new_conversation_is_followed_from_its_first_event(
    opened: Open, owner: User, model: Model
) -> None:
    tab = opened(owner)
    turn = sent(tab, model("stub-s7-n40"))
    answer_rings(turn)
    events = tab.events(is_over)
    numbers = [int(event["id"].split("-")[1]) for event in events]
    assert numbers == list(range(1, len(events) + 1))
    turn.refresh_from_db()
    assert turn.answer is not None
    assert text_of(events) == turn.answer.body["content"]


REJECTED: dict[str, Frame] = {
    "an empty text": {"text": "  \n"},
    "a text that is too long": {"text": "x" * 1_000_001},
    "a text that is none": {"text": 5},
    "an empty key": {"key": ""},
    "a key that is too long": {"key": "k" * 65},
    "a key that is none": {"key": None},
    "a model that is not offered": {"model": str(uuid.uuid4())},
    "a conversation that does not exist": {"conversation": str(uuid.uuid4())},
    "a conversation that is no UUID": {"conversation": "../etc/passwd"},
    "a preset that does not exist": {"preset": str(uuid.uuid4())},
    "a preset that is no UUID": {"preset": ["x"]},
}


@pytest.mark.parametrize("fault", REJECTED.values(), ids=REJECTED)
def test_a_message_that_cannot_be_is_rejected_with_a_sentence(
    opened: Open, owner: User, model: Model, fault: Frame
) -> None:
    good = {"key": "k", "conversation": None, "model": model("stub-n5"), "text": "hello"}
    answer = opened(owner).ask(type="send", **(good | fault))
    assert answer["type"] == "rejected"
    assert answer["key"] == fault.get("key", "k")
    assert answer["error"].endswith(".")
    assert not Turn.objects.exists()


@pytest.mark.parametrize("text", ["\ud800", "\x00", "\u202eevil", "a" * 300_000, "\U0001f600" * 99])
def test_odd_texts_are_stored_as_they_are(
    opened: Open, owner: User, model: Model, text: str
) -> None:
    turn = sent(opened(owner), model("stub-n5"), text)
    assert turn.question is not None
    assert turn.question.body["content"] == text


@pytest.mark.parametrize(
    ("key", "answer"),
    [("\ud800", "rejected"), ("\x00", "rejected"), ("\u202e", "rejected"), ("ключ", "accepted")],
)
def test_odd_keys_are_answered(
    opened: Open, owner: User, model: Model, key: str, answer: str
) -> None:
    frame = {"key": key, "conversation": None, "model": model("stub-n5"), "text": "hello"}
    answered = opened(owner).ask(type="send", **frame)
    assert (answered["type"], answered["key"]) == (answer, key)


def test_the_same_key_ten_times_at_once_is_one_turn(
    opened: Open, owner: User, model: Model
) -> None:
    frame = {"key": "same", "conversation": None, "model": model("stub-n5"), "text": "hello"}
    tabs = [opened(owner) for _ in range(10)]
    with ThreadPoolExecutor(10) as people:
        answers = list(people.map(lambda tab: tab.ask(type="send", **frame), tabs))
    assert {answer["type"] for answer in answers} == {"accepted"}
    assert len({answer["turn"] for answer in answers}) == 1
    assert (Turn.objects.count(), Conversation.objects.count()) == (1, 1)


def test_a_key_that_is_known_is_accepted_though_its_model_is_gone(
    opened: Open, owner: User, model: Model
) -> None:
    name = model("stub-n5")
    frame = {"key": "k", "conversation": None, "model": name, "text": "hello"}
    first = opened(owner).ask(type="send", **frame)
    LanguageModel.objects.all().delete()
    again = opened(owner).ask(type="send", **frame)
    assert again == first


def test_the_key_of_another_user_is_another_message(
    opened: Open, owner: User, model: Model
) -> None:
    outsider = User.objects.create_user("outsider")
    frame = {"key": "k", "conversation": None, "model": model("stub-n5"), "text": "hello"}
    turns = {opened(user).ask(type="send", **frame)["turn"] for user in (owner, outsider)}
    assert len(turns) == 2


def test_a_message_is_sent_with_the_zone_of_the_person_s_browser(
    opened: Open, owner: User, model: Model
) -> None:
    tab = opened(owner, Cookie=f"{session_cookie(owner)}; timezone=Asia/Shanghai")
    answer = tab.ask(type="send", key="k", conversation=None, model=model("stub-n5"), text="Hi")
    turn = Turn.objects.select_related("trace").get(public_id=answer["turn"])
    assert turn.trace is not None
    assert turn.trace.attributes["timezone"] == "Asia/Shanghai"
