"""A turn of two rounds with one tool call, and its page."""

import pytest
from django.test import Client

from tracing.tests.builders import ATurn, a_user
from tracing.tests.page.pages import ANSWER, ASKED, QUESTION, SYSTEM, TOLD, Page, stages


@pytest.fixture
def turn() -> ATurn:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 700))
    turn.a_generation(
        stages([SYSTEM, QUESTION], ASKED),
        at=(0, 620),
        details={"response": {"attributes": {"status": 200, "headers": [["server", "vLLM"]]}}},
        attributes={
            "model": "qwen",
            "dialect": "nous",
            "usage": {"prompt_tokens": 1000, "completion_tokens": 64},
        },
    )
    turn.a_call(
        {"arguments": b'{"schema": "main"}', "shown": b"students, log", "stderr": b"slow"},
        at=(630, 651),
        number=1,
        name="sqlite-list_tables",
        attributes={"call_id": "call_1", "server": "sqlite", "tool": "list_tables"},
    )
    turn.a_round(2, (700, 1900))
    turn.a_generation(stages([SYSTEM, QUESTION, ASKED, TOLD], ANSWER), at=(700, 1900))
    turn.end(1900)
    return turn


@pytest.fixture
def page(turn: ATurn, client: Client) -> Page:
    return Page(turn, client, turn.archive.owner)
