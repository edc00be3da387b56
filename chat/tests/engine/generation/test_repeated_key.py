"""A provider that repeats the key that it was sent: nothing that is stored or shown has it."""

from typing import Any

import pytest
from django.apps import apps
from django.core import serializers

from benchmarks.stub import Stub
from chat.engine.generation.evidence import records
from chat.engine.generation.exchange import Exchange
from chat.engine.generation.outcome import Generated
from chat.events.log import client
from chat.llm.dialects import dialect
from chat.llm.dialects.contract import TextDelta
from chat.llm.endpoint import Endpoint
from chat.llm.redaction import mask_of
from chat.llm.served import ModelInput, ServedModel
from chat.models import Turn
from chat.tests.engine.conftest import answer_rings
from chat.tests.engine.faulty import Model, Send, attempts, every_protocol, response
from tests import patience
from tools import loop
from tracing.models import Payload, Span
from tracing.store import payloads

KEY = "sk-canary-123"  # of the fixtures' provider
MASK = mask_of(KEY)
MEANT = ModelInput([{"role": "user", "content": "hello"}])
DIALECTS = ["native", "nous", "functions", "anthropic"]


def exchanged(stub: Stub, speaks: str, model: str) -> tuple[list[TextDelta], Generated]:
    """What was said while it arrived, and what came of it."""
    said: list[TextDelta] = []
    kind: Any = "anthropic" if speaks == "anthropic" else "openai"
    root = stub.url if kind == "anthropic" else stub.base_url
    served = ServedModel(model, Endpoint(root, KEY, kind=kind), dialect(speaks))
    return said, loop.submit(Exchange(served, MEANT, said.extend).run()).result(patience.SECONDS)


@pytest.mark.parametrize("speaks", DIALECTS)
@pytest.mark.parametrize("how", ["", "-c3", "-nostream", "-gzip", "-z5-feof-at16", "-think-z5"])
def test_a_key_in_pieces_is_neither_said_nor_recorded(stub: Stub, speaks: str, how: str) -> None:
    said, generated = exchanged(stub, speaks, f"stub-n8-leak{how}")
    assert stub.completions[-1].sent
    kept = records(Span(), MEANT, generated)
    content = "".join(delta.text for delta in said if delta.part == "content")
    assert content == (generated.answer and generated.answer.content)
    assert content.startswith(MASK) or how.startswith("-think")
    assert KEY not in f"{said} {kept} {generated.attributes()} {generated.sentence}"
    _, stage, body, details = kept[2]
    assert (stage, details["redacted"]) == ("response", True)
    assert len(body) == generated.recording.size or how == "-gzip"


def test_an_error_does_not_quote_it(stub: Stub) -> None:
    _, generated = exchanged(stub, "native", "stub-f401-leak")
    assert MASK in generated.sentence
    assert KEY not in f"{generated.sentence} {generated.attributes()}"


@every_protocol
@pytest.mark.usefixtures("redis_server")
def test_a_turn_with_a_call_keeps_it_nowhere(model: Model, send: Send) -> None:
    turn = answer_rings(send(model("stub-n8-z4-t1-leak")))
    assert turn.status == Turn.Status.DONE, turn.error
    assert turn.answer is not None and turn.answer.body["content"].startswith(MASK)
    assert KEY not in "".join(rows()) + "".join(bodies())
    announced = "".join(redis_values())
    assert MASK in announced and KEY not in announced
    stored, body = response(attempts(turn)[0])
    assert stored.redacted and MASK[:3].encode() in body


def rows() -> list[str]:
    """All of the database that is text; encrypted fields are left as they are stored."""
    models = [one for one in apps.get_models() if one.__name__ != "Provider"]
    return [serializers.serialize("json", one._default_manager.all()) for one in models]


def bodies() -> list[str]:
    return [payloads.load(stored).decode(errors="replace") for stored in Payload.objects.all()]


def redis_values() -> list[str]:
    """Everything that Redis knows of it: streams, and the running text."""
    redis: Any = client()
    read = {"stream": redis.xrange, "string": redis.get, "hash": redis.hgetall}
    kinds = [(key, redis.type(key)) for key in redis.scan_iter()]
    return [str(read[name](key)) for key, kind in kinds if (name := text(kind)) in read]


def text(kind: str | bytes) -> str:
    return kind.decode() if isinstance(kind, bytes) else kind
