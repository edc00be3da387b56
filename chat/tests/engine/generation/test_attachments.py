"""A turn with attachments against the stub: what goes over the wire, and what the trace keeps."""

import json
import uuid
from base64 import b64encode
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from benchmarks.stub import Stub
from chat.attachments import uploads
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.engine.worker.worker_timer import CallBeat
from chat.models import Attachment, LanguageModel, Provider, Turn
from chat.periodic import PERIODIC_WORK
from chat.tests.engine.conftest import answer_rings
from chat.tests.images import png
from tracing.models import Payload, Span
from tracing.store import payloads

BASE64 = b64encode(png()).decode()
URL = f"data:image/png;base64,{BASE64}"
TEXT = {"type": "text", "text": "What is this?"}
FILE_TEXT = '<file name="a.py">\nprint(1)\n</file>'
FILE_URL = f"data:text/plain;base64,{b64encode(b'print(1)').decode()}"
IMAGE = {"type": "image_url", "image_url": {"url": URL}}
MEANT = [TEXT, IMAGE, {"type": "file", "file": {"filename": "a.py", "file_data": FILE_URL}}]
NATIVE = [TEXT, IMAGE, {"type": "text", "text": FILE_TEXT}]
ANTHROPIC = [
    TEXT,
    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": BASE64}},
    {
        "type": "document",
        "source": {"type": "text", "media_type": "text/plain", "data": "print(1)"},
        "title": "a.py",
    },
]


def _ask(owner: User, model: LanguageModel, **fields: Any) -> Turn:
    sent = [uploads.upload(owner, "a.png", png()), uploads.upload(owner, "a.py", b"print(1)")]
    ids = [one.public_id for one in sent]
    turn = send_message(
        owner,
        NewMessage(
            key=str(uuid.uuid4()),
            text="What is this?",
            model_id=model.public_id,
            attachment_ids=ids,
            **fields,
        ),
    )
    return answer_rings(turn)


def _seeing(model: Callable[..., LanguageModel], name: str = "stub-n3") -> LanguageModel:
    made = model(name)
    made.takes_images = True
    made.save()
    return made


def _payload(turn: Turn, stage: str) -> Any:
    return payloads.read_json(Payload.objects.get(span__trace=turn.trace, stage=stage))


@pytest.mark.parametrize(("kind", "content"), [("openai", NATIVE), ("anthropic", ANTHROPIC)])
def test_the_bytes_stand_in_the_request_in_the_form_of_its_dialect(
    owner: User, model: Callable[..., LanguageModel], stub: Stub, kind: str, content: Any
) -> None:
    seeing = _seeing(model, f"stub-n3-s{len(kind)}")
    seeing.dialect = LanguageModel.Dialect.AUTO
    seeing.save()
    Provider.objects.update(kind=kind)
    turn = _ask(owner, seeing)
    assert turn.status == Turn.Status.DONE
    sent = json.loads(stub.completions[-1].body)
    assert sent["messages"] == [{"role": "user", "content": content}]
    assert _payload(turn, "request")["messages"] == sent["messages"]
    assert _payload(turn, "input")["messages"] == [{"role": "user", "content": MEANT}]


def test_another_round_is_given_the_same_and_stores_nothing_again(
    owner: User, model: Callable[..., LanguageModel]
) -> None:
    turn = _ask(owner, _seeing(model, "stub-n3-t1"))
    rounds = Payload.objects.filter(span__trace=turn.trace, stage="request").order_by("id")
    first, second = (payloads.read_json(payload)["messages"] for payload in rounds)
    assert first[0] == second[0]
    archive = turn.conversation.archive
    ordinals = archive.blob_set.values_list("ordinal", flat=True)
    kept = payloads.load_blobs(archive.pk, ordinals).values()
    # Once as it was meant, once as it was sent, whatever the number of rounds.
    assert sum(URL.encode() in blob for blob in kept) == 2


def test_a_later_model_that_reads_no_images_is_told_and_the_trace_notes_it(
    owner: User, model: Callable[..., LanguageModel], send: Callable[..., Turn], stub: Stub
) -> None:
    first = _ask(owner, _seeing(model))
    for dialect in ("native", "nous", "functions"):
        later = answer_rings(
            send(model(f"stub-n4-s{len(dialect)}", dialect), conversation=first.conversation)
        )
        assert later.status == Turn.Status.DONE
        body = stub.completions[-1].body.decode()
        assert "base64" not in body and "print(1)" in body
        assert "[The image a.png is left out:" in body
        notes = Span.objects.get(trace=later.trace, kind=Span.Kind.GENERATION).attributes["notes"]
        assert any("The image a.png is left out" in note for note in notes)


def test_a_history_whose_attachments_are_gone_is_sent_all_the_same(
    owner: User, model: Callable[..., LanguageModel], send: Callable[..., Turn], stub: Stub
) -> None:
    seeing = _seeing(model)
    first = _ask(owner, seeing)
    Attachment.objects.all().delete()
    later = answer_rings(send(seeing, conversation=first.conversation))
    assert later.status == Turn.Status.DONE
    assert "it was deleted" in stub.completions[-1].body.decode()


def test_a_worker_sweeps_what_was_not_sent(owner: User) -> None:
    uploads.upload(owner, "a.py", b"print(1)")
    Attachment.objects.update(created=timezone.now() - timedelta(days=2))
    beat = CallBeat(work=PERIODIC_WORK)
    beat()
    beat.end_tasks()
    assert not Attachment.objects.exists()
