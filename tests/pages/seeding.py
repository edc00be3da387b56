"""Rows that fill all pages, in the product's settings: out go the arguments of addresses, as JSON,
by what they name.

In comes `{}`. To the rows of `tests.access.rows` come conversations with every kind of block, with
every state of a call, and one that the walkthrough's model has answered.
"""

import json
import sys
import time
from typing import Any
from uuid import uuid4

from benchmarks.seeding import django_is_set_up  # isort: skip

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F

from chat.cassettes import walkthrough
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.models import Compaction, Feedback, Question, Turn
from chat.setup import ensure_owner, ensure_walkthrough
from chat.tests.builders import AConversation, ATurn
from tests.access import rows
from tests.pages.texts import ANSWER, FORM, LONG_WORD, PLAN, REASONING, TITLE
from tracing.models import Span

assert django_is_set_up

SECONDS = 60.0


def main() -> None:
    json.load(sys.stdin)
    owner = ensure_owner()
    with transaction.atomic():
        arguments = rows.make(owner).arguments
        arguments["rich"] = _named(_rich(owner))
        arguments["waiting"] = _named(_waiting(owner))
        # Nothing is to be done for any of these: no worker takes them.
        Turn.objects.update(seen=F("wakeups"))
        Span.objects.filter(status=Span.Status.APPROVED).update(status=Span.Status.SUCCEEDED)
    arguments |= _walked(owner)
    sys.stdout.write(json.dumps(arguments, default=str))


def _named(conversation: AConversation) -> dict[str, Any]:
    return {"public_id": conversation.row.public_id}


def _rich(owner: User) -> AConversation:
    """Markdown of all kinds, versions, calls in all final states, endings of all kinds."""
    conversation = AConversation(owner, TITLE)
    first = conversation.turn("排序有哪些算法？\n\nمرحبا بالعالم")
    first.round(ANSWER, reasoning_content=REASONING)
    Feedback.objects.create(turn=first.row, rating="up", note="写得很清楚。")
    other = conversation.turn("再说一次", "第一种说法。", is_shown=False)
    conversation.turn("再说一次", "第二种说法。", parent=first.row, original=other.row)
    called = conversation.turn("查一下数据库")
    _calls(called)
    summary = {"kind": "summary", "upto": called.question, "summary": "到这里为止谈的是排序。"}
    Compaction.objects.create(conversation=conversation.row, **summary)
    failed = conversation.turn(LONG_WORD, status="failed", error="The model took 60 s.")
    failed.attempt("failed", "HTTP 500")
    conversation.turn("停下", "说到一半", status="stopped")
    return conversation


def _calls(turn: ATurn) -> None:
    asked = (
        ("sqlite-read_query", {"query": "SELECT 姓名, 年龄 FROM 学生"}),
        ("read_file", {"path": f"{LONG_WORD}.txt"}),
        ("bash", {"command": "ls"}),
    )
    read, file, bash = turn.round("先看看数据。", asked, failed_attempts=("HTTP 429",))
    turn.end_call(read, json.dumps([{"姓名": "韩梅梅", "年龄": 20}] * 8, ensure_ascii=False))
    turn.end_call(file, "没有这个文件。", status="failed")
    turn.end_call(bash, "", status="outcome_unknown")
    turn.round("韩梅梅 20 岁。")


def _waiting(owner: User) -> AConversation:
    """A plan, a call that waits for consent, a form, and messages in line."""
    conversation = AConversation(owner, "等待同意", todos=PLAN)
    turn = conversation.turn("记录下来", status="waiting")
    write, ask = turn.round(
        "需要写入数据库。",
        (("sqlite-write_query", {"query": "INSERT INTO 日志 VALUES (1)"}), ("walk", {})),
    )
    Span.objects.filter(pk=write.pk).update(status=Span.Status.AWAITING_APPROVAL)
    Span.objects.filter(pk=ask.pk).update(status=Span.Status.WAITING)
    Question.objects.create(span=ask, kind="form", message="去哪里？", schema=FORM)
    before = turn.row
    for text in ("第二个问题", "第三个问题"):
        before = conversation.turn(text, status="queued", wakeups=0, parent=before).row
    return conversation


def _walked(owner: User) -> dict[str, Any]:
    """A conversation with two answers that the product has recorded, and the trace of the last."""
    model = ensure_walkthrough()
    conversation = None
    for question in walkthrough.questions()[:2]:
        message = NewMessage(
            key=str(uuid4()),
            text=question,
            conversation_id=conversation,
            model_id=model.public_id,
        )
        turn = send_message(owner, message)
        conversation = turn.conversation.public_id
        _wait_for(turn)
    assert turn.trace
    return {
        "walked": {"public_id": conversation},
        "walked_trace": {"trace_id": turn.trace.public_id, "number": 1},
    }


def _wait_for(turn: Turn) -> None:
    deadline = time.monotonic() + SECONDS
    while turn.is_open and time.monotonic() < deadline:
        time.sleep(0.1)
        turn.refresh_from_db()
    assert turn.status == Turn.Status.DONE, turn.error


if __name__ == "__main__":
    main()
