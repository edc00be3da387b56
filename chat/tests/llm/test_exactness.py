"""The trace has the bytes of the wire: 200 seeded turns, across retries, resets, tools and Stop."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest
from django.contrib.auth.models import User
from django.db import connection
from pytest_django.fixtures import Settings

from benchmarks.stub import LoggedRequest, Stub, running_stub
from chat import turn_facts
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.engine.worker.worker_timer import TurnBeat
from chat.models import LanguageModel, Provider, Turn
from chat.tests.engine.conftest import answer_rings
from tests import patience
from tracing.models import Payload, Span
from tracing.store import payloads

pytestmark = pytest.mark.process

TURNS = 200
SEED = 7

# How a model may behave, beside its seed; several at once where that makes sense.
KINDS = (
    "n40",
    "n40-c{seed}",
    "n10-z15",
    "n10-z15-reasoning-c{seed}",
    "n10-z15-think-c{seed}",
    "t2-k2-n15",
    "t3-p6-n15-c{seed}",
    "t2-n10-nous",
    "n20-f500-x1",
    "n20-f429-w0-x2",
    "n20-freset-x1",
    "n20-freset-c{seed}",
    "n20-feof-x1",
    "n20-fbadutf8-x1",
    "n20-fbadjson",
    "t1-n10-f503-x1",
    "fhtml",
    "f401",
    "t2-qcut-n5",
    "t2-qnoid-n5",
)
# Those that say nothing any more; and one that has long to talk.
STOPPED = ("r200-n4000", "r200-n4000-c{seed}", "fsilent", "n30-fstall-at7")
# Attempts whose bytes may not all have been read: a reset overtakes them, what cannot be parsed is
# not read to its end, and Stop cuts.
CUT = ("stopped", "ConnectionLost", "BrokenChunk", "InvalidUtf8")


@pytest.fixture
def stub() -> Iterator[Stub]:
    with running_stub() as running:
        yield running


@pytest.fixture
def provider(transactional_db: None, stub: Stub) -> Provider:
    return Provider.objects.create(name="Stub", base_url=stub.base_url, api_key="sk-canary-123")


@pytest.fixture
def owner(transactional_db: None) -> User:
    return User.objects.create_user("owner")


def test_the_trace_of_200_turns_has_the_bytes_that_the_stub_received_and_sent(
    owner: User, provider: Provider, stub: Stub, settings: Settings
) -> None:
    settings.RETRY_SECONDS = 0.001
    dice = random.Random(SEED)
    conversation: Turn | None = None
    for number in range(TURNS):
        before = len(stub.completions)
        turn = _send(owner, _model(provider, dice), conversation, number)
        _run(turn, dice, stub, before)
        turn.refresh_from_db()
        assert not turn.is_open
        conversation = turn if dice.random() < 0.7 else None
    exchanges = stub.completions
    attempts = _attempts()
    assert len(attempts) == len(exchanges) > TURNS
    for span, exchange in zip(attempts, exchanges, strict=True):
        _assert_exact(span, exchange)
    assert {span.attributes["cut"] for span in attempts} == {None, "stopped"}
    assert len({span.attributes["error_kind"] for span in attempts}) > 5


def _model(provider: Provider, dice: random.Random) -> LanguageModel:
    kind = dice.choice(KINDS if dice.random() < 0.85 else STOPPED).format(seed=dice.randrange(1000))
    model, _ = LanguageModel.objects.get_or_create(
        provider=provider,
        name=f"stub-s{dice.randrange(1000)}-{kind}",
        dialect="nous" if "nous" in kind else "native",
    )
    return model


def _send(owner: User, model: LanguageModel, before: Turn | None, number: int) -> Turn:
    return send_message(
        owner,
        NewMessage(
            key=f"key-{number}",
            text=f'Question {number}: 韩梅梅 \U0001f600 \u2028 \x7f \\ "',
            model_id=model.public_id,
            conversation_id=before.conversation.public_id if before else None,
        ),
    )


def _run(turn: Turn, dice: random.Random, stub: Stub, asked_before: int) -> None:
    """Answers the rings; a model that does not end is stopped in the middle."""
    name = str(turn.model)
    if not any(word in name for word in ("r200", "fsilent", "fstall")):
        answer_rings(turn)
        return
    wanted = dice.randrange(3000) if "r200" in name else 0
    with ThreadPoolExecutor(1) as worker:
        running = worker.submit(_answer, turn)
        stub.wait_for(lambda asked: len(asked) > asked_before and len(asked[-1].sent) >= wanted)
        turn_facts.stop(turn)
        TurnBeat()()
        running.result(patience.SECONDS)
    stub.wait_for(lambda asked: asked[-1].ended_us)


def _answer(turn: Turn) -> None:
    try:
        answer_rings(turn)
    finally:
        connection.close()


def _attempts() -> list[Span]:
    spans = Span.objects.filter(kind=Span.Kind.GENERATION).select_related("trace")
    return list(spans.order_by("id"))


def _assert_exact(span: Span, exchange: LoggedRequest) -> None:
    stored = {payload.stage: payload for payload in span.payloads.select_related("span__trace")}
    request = stored["request"]
    assert payloads.load(request) == exchange.body
    assert bytes(request.sha256) == sha256(exchange.body).digest()
    assert not request.redacted
    if "response" not in stored:
        assert exchange.status == 0 and span.attributes["cut"] == "stopped"
        return
    _assert_exact_response(span, stored["response"], exchange)


def _assert_exact_response(span: Span, stored: Payload, exchange: LoggedRequest) -> None:
    body = payloads.load(stored)
    described = span.attributes["cut"] or span.attributes["error_kind"]
    sent = exchange.sent[: len(body)] if described in CUT else exchange.sent
    assert body == sent
    assert bytes(stored.sha256) == sha256(body).digest()
    assert stored.attributes["status"] == exchange.status
    assert sum(length for _, length in payloads.read_chunks(stored)) == len(body)
