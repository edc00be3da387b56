"""What is recorded, what if it cannot be, and that no secret is among it."""

import json
import logging
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.apps import apps
from django.core import serializers
from django.db import OperationalError, connection

from api.gateway.call import Loss
from api.tests.gateway.conftest import KEY, Person, Served
from api.tests.gateway.upstream import ANSWER
from chat.models import Provider
from tracing.models import Blob, Payload, Span, Trace
from tracing.store import payloads

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True), pytest.mark.long]
ASK = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}


def everything() -> bytes:
    """All rows of all tables, and the contents of all payloads. A provider's own row has the key,
    encrypted, which the serializer would decrypt."""
    rows = [
        row
        for model in apps.get_models()
        if model is not Provider
        for row in serializers.serialize("python", model._default_manager.all())
    ]
    bodies = [payloads.load(one) for one in Payload.objects.select_related("span__trace")]
    return repr(rows).encode() + b"".join(bodies)


def test_the_providers_key_and_the_token_stand_nowhere(
    anna: Person, served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    secrets = {"messages": [{"role": "user", "content": f"{KEY} {anna.secret}"}]}
    answers = [
        anna.client.get("/x?do=key"),
        anna.client.post("/chat/completions?do=echo", json=secrets),
        anna.client.post("/chat/completions?do=nothing", json=secrets),
    ]
    assert served.recorder.flush()
    dump = everything() + caplog.text.encode()
    assert Trace.objects.count() == 3 and Blob.objects.exists()
    assert KEY.encode() not in dump and anna.secret.encode() not in dump
    assert all(KEY not in answer.text for answer in answers)


def test_a_masked_body_has_the_hash_of_the_original(anna: Person, served: Served) -> None:
    anna.client.get("/x?do=key")
    assert served.recorder.flush()
    payload = Payload.objects.get(stage="response")
    assert payload.redacted and payload.sha256_sent != payload.sha256


def test_calls_go_on_while_the_database_fails(anna: Person, served: Served) -> None:
    assert anna.client.get("/x").status_code == 200  # the token is known now
    assert served.recorder.flush()

    def fail(call: object) -> None:
        raise OperationalError("database is locked")

    served.recorder._write = fail
    assert [anna.client.get("/x").status_code for _ in range(3)] == [200] * 3
    assert served.recorder.flush()
    assert served.recorder.counts.lost[Loss.DATABASE] == 3 and served.recorder.budget.used == 0


def test_a_call_is_written_once_the_database_answers_again(anna: Person, served: Served) -> None:
    write, failures = served.recorder._write, [OperationalError("locked")]

    def fail_once(call: object) -> object:
        if failures:
            raise failures.pop()
        return write(call)  # type: ignore[arg-type]

    served.recorder._write = fail_once
    anna.client.get("/x")
    assert served.recorder.flush() and Trace.objects.count() == 1


def test_what_does_not_fit_is_counted_and_passed_on(
    anna: Person, served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    served.recorder.budget.limit = 1_000
    assert len(anna.client.get("/x?do=big&n=10240").content) == 10_240
    assert served.recorder.flush()
    assert served.recorder.counts.lost[Loss.BACKLOG] == 1 and not Trace.objects.exists()
    assert "not recorded (backlog)" in caplog.text


def test_a_defect_of_the_writer_breaks_nothing(anna: Person, served: Served) -> None:
    def fail(call: object) -> None:
        raise ZeroDivisionError

    served.recorder._write = fail
    assert anna.client.get("/x").status_code == 200
    assert served.recorder.flush() and served.recorder.counts.lost[Loss.DEFECT] == 1


@pytest.mark.parametrize(
    "body",
    [b"", b"null", b"[1]", b'{"messages": 7}', b'{"messages":[{"role":5}]}', b"\xff" * 9,
     b'{"messages":[{"role":"user","content":[{"type":3}]}],"tools":{},"model":["x"]}',
     b"[" * 100_000],
)  # fmt: skip
def test_any_body_is_recorded(anna: Person, served: Served, body: bytes) -> None:
    for path in ("/chat/completions", "/messages", "/responses", "/embeddings"):
        assert anna.client.post(path, content=body).content == body
    assert served.recorder.flush()
    assert not served.recorder.counts.lost and Trace.objects.count() == 4
    assert all(
        payloads.load(one) == body
        for one in Payload.objects.filter(stage__in=["request", "response"])
    )


def test_usage_prices_and_times_are_those_of_the_call(anna: Person, served: Served) -> None:
    anna.client.post("/chat/completions?do=answer", json=ASK)
    assert served.recorder.flush()
    attributes = Span.objects.get(kind="generation").attributes
    assert attributes["usage"]["prompt_tokens"] == 9 and attributes["prices"]["in"] == "1.000000"
    assert {"send_ms", "connect_ms", "first_byte_ms", "stream_ms"} <= attributes["timings"].keys()


def test_a_stream_has_its_arrivals_and_its_text(anna: Person, served: Served) -> None:
    anna.client.post("/chat/completions?do=stream&n=5&pause=0.01", json={**ASK, "stream": True})
    assert served.recorder.flush()
    response = Payload.objects.get(stage="response")
    assert len(payloads.read_chunks(response)) >= 4
    output = payloads.read_json(Payload.objects.get(stage="output"))
    assert output["message"]["content"] == "w0 w1 w2 w3 w4 "


def test_the_message_of_a_refusing_provider_is_the_error(anna: Person, served: Served) -> None:
    anna.client.post("/chat/completions?do=error", json=ASK)
    assert served.recorder.flush()
    span = Span.objects.get(kind="generation")
    assert span.error == "The provider answered with status 429: slow down"


def test_a_compressed_answer_is_read(anna: Person, served: Served) -> None:
    anna.client.post("/chat/completions?do=zip", json=ASK)
    assert served.recorder.flush()
    output = payloads.read_json(Payload.objects.get(stage="output"))
    assert output["message"]["content"] == json.loads(ANSWER)["choices"][0]["message"]["content"]


def test_a_locked_database_does_not_delay_a_call(anna: Person, served: Served) -> None:
    name = connection.settings_dict["NAME"]
    if connection.vendor != "sqlite" or not Path(str(name)).is_file():
        pytest.skip("SQLite in a file")
    anna.client.get("/x")
    assert served.recorder.flush()
    with sqlite3.connect(name, isolation_level=None) as locker:
        locker.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor(1) as thread:
            assert thread.submit(anna.client.get, "/x").result(10).status_code == 200
        locker.execute("ROLLBACK")
    assert served.recorder.flush(30)


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "x" * 5_000], ids=["nul", "surrogate", "long"])
def test_any_text_in_a_body_is_recorded(anna: Person, served: Served, text: str) -> None:
    call = {"id": text, "type": "function", "function": {"name": text, "arguments": text}}
    question = {"role": "user", "content": text}
    asking = {"role": "assistant", "content": text, "tool_calls": [call]}
    result = {"role": "tool", "tool_call_id": text, "content": text}
    tool = {"type": "function", "function": {"name": text, "description": text}}
    usage = {"prompt_tokens": 10**30, "completion_tokens": -1, "total_tokens": 1e300}
    choice = {"index": 0, "message": asking, "finish_reason": text}
    bodies: list[dict[str, object]] = [
        {"model": text, "messages": [question], "tools": [tool], "user": text, "id": text,
         "choices": [choice], "usage": usage},
        {"model": text, "messages": [question, asking, result], "id": text, "choices": [choice]},
        {"error": {"message": text}},
    ]  # fmt: skip
    for body in bodies:
        content = json.dumps(body).encode()
        assert anna.client.post("/chat/completions?do=echo", content=content).status_code == 200
        assert served.recorder.flush()
    assert not served.recorder.counts.lost and Trace.objects.exists()
