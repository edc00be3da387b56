"""The engine's cast: an owner, a stub model over real HTTP, and someone to answer the rings."""

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User
from django.db.models import F, Q

from benchmarks.stub import Stub, running_stub
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.engine.tool_calls.execute import execute
from chat.engine.turn.advance import advance
from chat.models import Conversation, LanguageModel, Provider, Turn
from tracing.models import Span

MOST_RINGS = 60


@pytest.fixture
def owner(transactional_db: None) -> User:
    return User.objects.create_user("owner", password="a long pass phrase")


@pytest.fixture(scope="session")
def stub() -> Iterator[Stub]:
    with running_stub() as running:
        yield running


@dataclass(frozen=True)
class Protocol:
    """A kind of endpoint that the stub is, where it is, and what is spoken there."""

    kind: Provider.Kind = Provider.Kind.OPENAI
    root: str = "/v1"
    dialect: str = "native"


@pytest.fixture
def protocol() -> Protocol:
    """Chat completions. A test that is for every protocol is parametrized with this."""
    return Protocol()


@pytest.fixture
def model(stub: Stub, owner: User, protocol: Protocol) -> Callable[..., LanguageModel]:
    """Makes a model of the stub's by its name."""
    provider = Provider.objects.create(
        name="Stub", kind=protocol.kind, base_url=stub.url + protocol.root, api_key="sk-canary-123"
    )

    def make(name: str, dialect: str = protocol.dialect) -> LanguageModel:
        made, _ = LanguageModel.objects.get_or_create(
            provider=provider, name=name, defaults={"dialect": dialect}
        )
        return made

    return make


@pytest.fixture
def send(owner: User) -> Callable[..., Turn]:
    """Sends a message, as the socket would."""

    def to(
        model: LanguageModel, text: str = "hello", conversation: Conversation | None = None
    ) -> Turn:
        return send_message(
            owner,
            NewMessage(
                key=str(uuid.uuid4()),
                text=text,
                model_id=model.public_id,
                conversation_id=conversation.public_id if conversation else None,
            ),
        )

    return to


def limit(model: LanguageModel, **limits: float) -> None:
    """Gives the model's preset these limits and no others."""
    assert model.preset is not None
    model.preset.limits = limits
    model.preset.save()


def answer_rings(turn: Turn, most: int = MOST_RINGS) -> Turn:
    """What the workers do, in this thread: advances the turn and executes its calls until it is
    over or waits for a person."""
    for _ in range(most):
        advance(turn.pk)
        turn.refresh_from_db()
        approved = Span.objects.filter(
            trace=turn.trace, kind=Span.Kind.TOOL, status=Span.Status.APPROVED
        )
        calls = list(approved.values_list("pk", flat=True))
        if not turn.is_open or not calls:
            assert_in_order(turn)
            return turn
        for call in calls:
            execute(call)
    raise AssertionError("the turn does not come to an end")


def assert_in_order(turn: Turn) -> None:
    """No span of the turn ended before it was created or began."""
    ended = Span.objects.filter(trace=turn.trace_id, ended__isnull=False)
    wrong = ended.filter(Q(ended__lt=F("started")) | Q(ended__lt=F("created")))
    assert list(wrong.values_list("kind", "name", "created", "started", "ended")) == []
