"""A real turn of a provider that repeats its key: everything that shows, exports or logs the turn
is asked for, and none of it has the key. (`test_routes` looks for planted values in the rest.)"""

import json
import logging
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.live.snapshot import snapshot
from chat.llm.redaction import mask_of
from chat.models import LanguageModel, Provider, Turn
from chat.tests.engine.conftest import answer_rings, model, owner, protocol, send, stub
from tests.access.routes import RULES, Route, own_routes
from tests.redis_server import RedisServer
from tests.responses import body_of
from tests.signing_in import signed_in
from tracing.export.otlp import switch
from tracing.export.otlp.sender import Sender
from tracing.models import Collector, Payload, Span
from tracing.tests.otel.conftest import content, receiver
from tracing.tests.otel.receiver import Receiver

pytestmark = pytest.mark.process

__all__ = ["content", "model", "owner", "protocol", "receiver", "send", "stub"]  # fixtures

KEY = "sk-canary-123"  # of the fixtures' provider
MASK = mask_of(KEY)
# What names something of a turn; other rows are `test_routes`' own.
OF_A_TURN = {"conversation", "turn", "message", "trace", "archive", "payload"}
Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]


@pytest.fixture
def turn(model: Model, send: Send, redis_server: RedisServer) -> Turn:
    turn = answer_rings(send(model("stub-n8-z4-t1-leak")))
    assert turn.status == Turn.Status.DONE, turn.error
    return turn


def of(turn: Turn) -> Iterator[dict[str, Any]]:
    """Arguments of addresses: of the turn, and of each of its payloads."""
    assert turn.trace is not None and turn.answer is not None
    trace = {"trace_id": turn.trace.public_id, "archive_id": turn.trace.archive.public_id}
    for stored in Payload.objects.filter(span__trace=turn.trace).select_related("span"):
        yield {
            **trace,
            "span_id": stored.span.public_id,
            "stage": stored.stage,
            "number": 1,
            "program": "curl",
        }


def addresses(turn: Turn) -> Iterator[str]:
    assert turn.answer is not None
    ids = {
        "turn": turn.public_id,
        "message": turn.answer.public_id,
        "conversation": turn.conversation.public_id,
    }
    for route in [one for one in own_routes() if shows_a_turn(one)]:
        name = RULES[route.name][0].of
        for given in of(turn):
            named = {**given, "public_id": ids.get(name)}
            yield reverse(route.name, kwargs={one: named[one] for one in route.arguments})


def shows_a_turn(route: Route) -> bool:
    rule = RULES[route.name][0]
    return rule.of in OF_A_TURN and bool(rule.get)


def test_no_page_and_no_export_of_a_turn_has_the_key(
    turn: Turn, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    User.objects.update(is_superuser=True, is_staff=True)
    client = signed_in(User.objects.get())
    assert turn.trace is not None
    shown = {address: client.get(address) for address in sorted(set(addresses(turn)))}
    chosen = {"trace": str(turn.trace.public_id)}
    for name in ("tracing:list_export", "tracing:list_cassette"):
        shown[name] = client.post(reverse(name), chosen)
    for page in ("tracing:list", "tracing:dashboard", "providers:index", "metrics"):
        shown[page] = client.get(reverse(page))
    assert len([one for one in shown.values() if one.status_code == 200]) > 40
    bodies = {name: body_of(one) for name, one in shown.items()}
    assert sum(MASK.encode() in body for body in bodies.values()) > 10
    assert [name for name, body in bodies.items() if KEY.encode() in body] == []
    assert KEY not in json.dumps(snapshot(turn.conversation)[0]) + caplog.text


@pytest.mark.usefixtures("content")
def test_what_is_exported_over_otlp_has_not(turn: Turn, receiver: Receiver) -> None:
    Collector.objects.create(place=switch.place(), since=timezone.now() - timedelta(hours=1))
    Sender().round()
    assert len(receiver.spans) >= Span.objects.filter(trace=turn.trace).count()
    sent = b"".join(one.body for one in receiver.requests)
    assert MASK.encode() in sent and KEY.encode() not in sent


def test_an_error_page_and_its_log_have_no_secret(
    turn: Turn, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The page of a provider whose key cannot be decrypted any more."""
    User.objects.update(is_superuser=True)
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.get())
    provider = Provider.objects.get()
    kept = list(settings.ENCRYPTION_KEYS)
    monkeypatch.setattr(settings, "ENCRYPTION_KEYS", ["another key"])
    response = client.get(reverse("providers:provider", args=[provider.public_id]))
    assert response.status_code == 500
    told = response.content.decode() + caplog.text
    assert "InvalidToken" in caplog.text
    assert not any(secret in told for secret in (KEY, *kept, "another key"))
