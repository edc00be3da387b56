"""Recorded turns: of the walkthrough, and of a stub that calls tools, both over real HTTP."""

import json
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User

from benchmarks.stub import running_stub
from chat import setup
from chat.cassettes import walkthrough
from chat.cassettes.answers import Reply, document
from chat.cassettes.reading import read
from chat.cassettes.recorded import Cassette
from chat.cassettes.server import CassetteApplication, running
from chat.cassettes.text_cassette import chunks
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.models import Conversation, LanguageModel, Preset, Provider, Turn
from chat.tests.engine.conftest import answer_rings
from tools.models import Server
from tools.tests.calling import store_listing
from tracing.export import cassettes
from tracing.models import Archive, Trace

EVENT_STREAM = (("content-type", "text/event-stream"),)


@pytest.fixture
def owner(transactional_db: None) -> User:
    return User.objects.create_user("owner", password="a long pass phrase")


def exported(*traces: Trace) -> bytes:
    return "".join(cassettes.export(traces)).encode()


def alone(*traces: Trace) -> Cassette:
    """The traces as a cassette, and nothing left of them in the database: as in a scratch home."""
    cassette = read(exported(*traces))
    for model in (Archive, Provider, Preset, Server):
        model.objects.all().delete()
    return cassette


@pytest.fixture
def ask(owner: User) -> Callable[..., Turn]:
    """Sends a message and does what the workers do."""

    def to(model: LanguageModel, text: str, conversation: Conversation | None = None) -> Turn:
        turn = send_message(
            owner,
            NewMessage(
                key=str(uuid.uuid4()),
                text=text,
                model_id=model.public_id,
                conversation_id=conversation.public_id if conversation else None,
            ),
        )
        return answer_rings(turn)

    return to


@pytest.fixture
def stub_model(owner: User) -> Iterator[Callable[..., LanguageModel]]:
    """Makes a model of a stub's by its name."""
    with running_stub() as stub:

        def make(name: str, kind: str = "openai", **fields: Any) -> LanguageModel:
            provider = Provider.objects.create(name="Stub", base_url=stub.base_url, kind=kind)
            return LanguageModel.objects.create(provider=provider, name=name, **fields)

        yield make


@pytest.fixture
def walkthrough_model(owner: User) -> Iterator[LanguageModel]:
    """The walkthrough, its tools on the real sqlite server."""

    def answering(protocol: str, body: bytes) -> Reply:
        pieces = walkthrough.answer(json.loads(body)["messages"])
        events = chunks(walkthrough.MODEL, pieces, 0)
        return Reply(200, EVENT_STREAM, [(0.0, event) for event in events])

    store_listing(setup.ensure_server())
    model = setup.ensure_walkthrough()
    with running(CassetteApplication(answering, document({}))) as url:
        Provider.objects.update(kind=Provider.Kind.OPENAI, base_url=f"{url}/v1")
        yield model
