"""A title by a model, after the first answer of a conversation."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.commands import conversations
from chat.engine.titles import due, naming, running, wording
from chat.events.log import client, log_key
from chat.models import Conversation, LanguageModel, PersonalSettings, Provider, Turn
from chat.tests.engine.conftest import answer_rings
from chat.tests.providers.scripted import Asked, Reply, Scripted, scripted, streamed
from tests.redis_server import RedisServer
from tracing.models import Span, Trace

pytestmark = pytest.mark.django_db(transaction=True)

Send = Callable[..., Turn]
NamedBy = Conversation.NamedBy


class Namer:
    """A model server that answers a request for a title with `title`."""

    def __init__(self) -> None:
        self.title = "Tables of the school"
        self.status = 200
        self.server: Scripted | None = None

    def answer(self, asked: Asked) -> Reply:
        if not is_for_title(asked):
            return streamed({"content": "There are three."})
        return Reply({}, self.status) if self.status != 200 else streamed({"content": self.title})

    @property
    def requests(self) -> list[Any]:
        """The bodies of the requests for titles."""
        assert self.server is not None
        return [asked.body for asked in self.server.asked if is_for_title(asked)]


def is_for_title(asked: Asked) -> bool:
    return bool(asked.body["messages"][0]["content"] == wording.INSTRUCTIONS)


@pytest.fixture
def namer(settings: Any) -> Iterator[Namer]:
    settings.TITLES = True
    namer = Namer()
    with scripted(namer.answer) as namer.server:
        yield namer


@pytest.fixture
def talker(namer: Namer, owner: User) -> LanguageModel:
    assert namer.server is not None
    provider = Provider.objects.create(name="Talker", base_url=namer.server.base_url, api_key="k")
    parameters = {"temperature": 0.2, "reasoning_effort": "high", "stop": ["x"]}
    return LanguageModel.objects.create(provider=provider, name="talk", parameters=parameters)


def named(turn: Turn) -> Conversation:
    """The conversation after the request that the end of the turn has rung for."""
    running.run(turn.pk)
    return Conversation.objects.get(pk=turn.conversation_id)


def test_the_model_names_the_conversation_in_a_trace_of_its_own(
    namer: Namer, talker: LanguageModel, send: Send
) -> None:
    turn = answer_rings(send(talker, "How many tables?"))
    conversation = named(turn)
    assert (conversation.title, conversation.named_by) == ("Tables of the school", NamedBy.MODEL)
    trace = Trace.objects.get(kind=Trace.Kind.TITLE)
    assert (trace.archive_id, trace.status) == (conversation.archive_id, Trace.Status.SUCCEEDED)
    assert trace.attributes["operation"] == "title"
    assert trace.attributes["turn"] == str(turn.public_id)
    generation = trace.spans.get(kind=Span.Kind.GENERATION)
    assert set(generation.payloads.values_list("stage", flat=True)) == {
        *("input", "request", "response", "output")
    }


def test_the_conversation_s_traces_lead_to_it(
    namer: Namer, talker: LanguageModel, send: Send, client: Client, owner: User
) -> None:
    conversation = named(answer_rings(send(talker)))
    client.force_login(owner)
    page = client.get(f"/traces/archives/{conversation.archive.public_id}/").content.decode()
    trace = Trace.objects.get(kind=Trace.Kind.TITLE)
    assert f'href="{trace.get_absolute_url()}"' in page
    assert trace.name not in client.get("/traces/").content.decode()
    assert trace.name in client.get("/traces/?kind=title").content.decode()


def test_the_request_is_small_and_has_question_and_answer(
    namer: Namer, talker: LanguageModel, send: Send
) -> None:
    named(answer_rings(send(talker, "很长的问题" * 2_000)))
    (body,) = namer.requests
    assert (body["max_tokens"], body["temperature"]) == (1_000, 0.2)
    assert (body["reasoning_effort"], "stop" in body) == ("low", False)
    text = body["messages"][1]["content"]
    assert text.startswith("<user>\n很长的问题") and "There are three." in text
    assert len(text) < 2_200


def test_it_is_tried_once(namer: Namer, talker: LanguageModel, send: Send) -> None:
    namer.status = 500
    turn = answer_rings(send(talker, "How many tables?"))
    conversation = named(turn)
    assert (conversation.title, conversation.named_by) == ("How many tables?", NamedBy.FIRST_WORDS)
    assert Trace.objects.get(kind=Trace.Kind.TITLE).status == Trace.Status.FAILED
    again = answer_rings(send(talker, "And rows?", conversation))
    assert named(again).title == "How many tables?"
    assert len(namer.requests) == 1


def test_a_name_that_a_person_gave_is_kept(namer: Namer, talker: LanguageModel, send: Send) -> None:
    turn = answer_rings(send(talker))
    conversations.rename(turn.conversation, "Mine")
    assert named(turn).title == "Mine"
    assert namer.requests == []


def test_a_name_that_a_person_gives_meanwhile_is_kept(
    namer: Namer, talker: LanguageModel, send: Send
) -> None:
    turn = answer_rings(send(talker))
    begun = naming.begin(turn.pk)
    assert begun is not None
    conversations.rename(turn.conversation, "Mine")
    running.ask(begun)
    assert Conversation.objects.get().title == "Mine"
    assert len(namer.requests) == 1


def test_every_tab_is_told(
    namer: Namer, talker: LanguageModel, send: Send, redis_server: RedisServer
) -> None:
    conversation = named(answer_rings(send(talker)))
    entries: Any = client().xrange(log_key(conversation.public_id))
    latest = json.loads(entries[-1][1][b"e"])
    assert latest == {"type": "conversation", "title": "Tables of the school"}


def test_a_model_that_an_admin_chose_names_those_of_others(
    namer: Namer, talker: LanguageModel, send: Send
) -> None:
    LanguageModel.objects.create(provider=talker.provider, name="cheap", is_for_titles=True)
    named(answer_rings(send(talker)))
    assert namer.requests[0]["model"] == "cheap"


def test_a_recording_is_asked_for_no_title(namer: Namer, talker: LanguageModel, send: Send) -> None:
    turn = answer_rings(send(talker))
    Provider.objects.update(kind=Provider.Kind.CASSETTE)
    named(turn)
    assert namer.requests == [] and not Trace.objects.filter(kind=Trace.Kind.TITLE).exists()


@pytest.mark.parametrize("who", ["deployment", "person", "temporary"])
def test_it_can_be_switched_off(
    namer: Namer, talker: LanguageModel, send: Send, settings: Any, owner: User, who: str
) -> None:
    if who == "deployment":
        settings.TITLES = False
    if who == "person":
        PersonalSettings.change(owner, has_titles=False)
    turn = answer_rings(send(talker))
    if who == "temporary":
        Conversation.objects.update(is_temporary=True)
    named(turn)
    assert namer.requests == []


def test_a_failed_turn_asks_for_none(owner: User, talker: LanguageModel, send: Send) -> None:
    turn = send(talker)
    turn.status = Turn.Status.FAILED
    assert not due.is_due(turn)


def test_a_request_whose_worker_was_killed_ends(
    namer: Namer, talker: LanguageModel, send: Send
) -> None:
    begun = naming.begin(answer_rings(send(talker)).pk)
    assert begun is not None
    naming.sweep()
    assert Trace.objects.get(kind=Trace.Kind.TITLE).is_running
    Trace.objects.update(started="2020-01-01T00:00:00Z")
    naming.sweep()
    assert Trace.objects.get(kind=Trace.Kind.TITLE).status == Trace.Status.FAILED


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("Tables of the school", "Tables of the school"),
        ("**Title: “Tables of the school.”**", "Tables of the school"),
        ("标题：《学校数据库》。", "学校数据库"),
        ("\n\n# A heading\nand more", "A heading"),
        ("“”", ""),
        ("a" * 200, "a" * 79 + "…"),
    ],
)
def test_what_models_put_around_a_title_is_left_out(written: str, title: str) -> None:
    first = next((line for line in written.splitlines() if wording.cleaned(line)), "")
    assert wording.cleaned(first) == title
