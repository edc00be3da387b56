"""Servers that ask people in the middle of a call, in both eras."""

import json
import sys
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from mcp_types import ElicitRequest, ElicitRequestURLParams, InputRequiredResult

from limits.tools import MAX_QUESTIONS
from tests import patience
from tools.mcp.elicitation import needed
from tools.tests import servers
from tools.tests.calling import Caller
from tools.values.questions import Answered, Asked, InputGiven
from tools.values.server_config import ServerConfig

pytestmark = pytest.mark.process

ASKING = Path(servers.__path__[0]) / "asking.py"
ACCEPTED = Answered("accept", {"people": 2, "seat": "aisle"})


def asking(mode: str, **changes: Any) -> ServerConfig:
    return ServerConfig(
        "asking", "stdio", command=sys.executable, args=(str(ASKING),), mode=mode, **changes
    )


class Person:
    """Answers what is asked, and remembers it."""

    def __init__(self, answer: Answered = ACCEPTED) -> None:
        self.answer = answer
        self.asked: list[Asked] = []

    async def __call__(self, question: Asked) -> Answered:
        self.asked.append(question)
        return self.answer


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_question_is_asked_and_its_answer_reaches_the_server(caller: Caller, mode: str) -> None:
    person = Person()
    result = caller.call(asking(mode), "book", caller.context(ask=person), day="today")
    assert '"people":2,"seat":"aisle"' in result.text
    (question,) = person.asked
    assert question.message == "Details of the table for today"
    assert question.schema is not None and "people" in question.schema["properties"]


PASSWORD = "hunter2-hunter2"
# Long enough that no time stamp or identifier contains it by chance.
PIN = 471_147_114_711_471
SIGNED_IN = {"user": "ada", "db_password": PASSWORD, "pin": PIN}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_password_reaches_the_server_and_nothing_that_is_kept(caller: Caller, mode: str) -> None:
    person = Person(Answered("accept", SIGNED_IN, secrets=(PASSWORD, str(PIN))))
    context = caller.context(ask=person)
    result = caller.call(asking(mode), "sign_in", context, database="db")
    assert result.text == "ada has [secret]"
    assert '"pin": "[secret]"' in json.dumps(context.frames)
    assert PASSWORD not in str((context.frames, context.stderr))
    assert str(PIN) not in str(context.frames)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_where_nobody_can_be_asked_the_server_is_told_so(caller: Caller, mode: str) -> None:
    assert caller.call(asking(mode), "book", day="today").text == "today: cancel"


def test_a_question_that_cannot_be_asked_tells_the_server_nothing(caller: Caller) -> None:
    async def broken(question: Asked) -> Answered:
        raise RuntimeError("the secret is hunter2")

    context = caller.context(ask=broken)
    assert caller.call(asking("legacy"), "book", context, day="today").text == "today: cancel"
    assert "hunter2" not in str(context.frames)


def test_a_person_s_time_does_not_count(caller: Caller) -> None:
    async def slow(question: Asked) -> Answered:
        import asyncio

        await asyncio.sleep(1.5)
        return ACCEPTED

    caller.call(asking("legacy"), "steps")  # the session is open: only the call counts
    context = caller.context(ask=slow, deadline_s=1.0)
    result = caller.call(asking("legacy"), "book", context, day="today")
    assert not result.is_error


def test_a_new_server_s_question_ends_the_call_and_the_answer_makes_it_again(
    caller: Caller,
) -> None:
    needs = caller.call(
        asking("auto"), "book", caller.context(keeps_questions=True), day="today"
    ).needs
    assert needs is not None
    (question,) = needs.asked
    given = InputGiven(needs.state, {question.key: ACCEPTED})
    context = caller.context(keeps_questions=True, given=given)
    assert '"people":2' in caller.call(asking("auto"), "book", context, day="today").text


def test_a_live_session_asks_a_person_twenty_times_and_no_more(caller: Caller) -> None:
    person = Person()
    result = caller.call(asking("legacy"), "insist_live", caller.context(ask=person))
    assert len(person.asked) == MAX_QUESTIONS
    assert result.text.split() == ["accept"] * MAX_QUESTIONS + ["cancel"] * 10


def test_the_questions_of_a_call_that_is_made_again_count_together(caller: Caller) -> None:
    given = InputGiven("", {"again": Answered("decline")}, asked=MAX_QUESTIONS - 1)
    context = caller.context(keeps_questions=True, given=given)
    assert caller.call(asking("auto"), "insist", context).needs
    context = caller.context(keeps_questions=True, given=replace(given, asked=MAX_QUESTIONS))
    result = caller.call(asking("auto"), "insist", context)
    assert "asks for more than 20 answers" in result.text


def test_a_state_that_the_server_does_not_know_is_an_error_result(caller: Caller) -> None:
    given = InputGiven("made up", {"x": ACCEPTED})
    context = caller.context(keeps_questions=True, given=given)
    result = caller.call(asking("auto"), "book", context, day="today")
    assert result.is_error
    assert "too late" in result.text


def test_pages_to_visit_first_end_the_call(caller: Caller) -> None:
    context = caller.context(keeps_questions=True)
    needs = caller.call(asking("legacy"), "pages", context, name="a").needs
    assert needs is not None
    assert [one.url for one in needs.asked] == ["https://example.org/connect"]
    assert caller.call(asking("legacy"), "pages", context, name="a").text == "connected"


def test_a_page_to_visit_is_asked_for_on_the_live_session(caller: Caller) -> None:
    person = Person(Answered("accept"))
    result = caller.call(asking("legacy"), "visit", caller.context(ask=person))
    assert result.text == "accept"
    assert person.asked[0].url == "https://example.org/sign-in?x=1"


def test_nobody_is_asked_what_may_be_another_person_s_question(caller: Caller) -> None:
    other = caller.context(caller="other")
    late: Future[Any] = caller.start(asking("legacy"), "steps", other, count=100, pause=0.1)
    person = Person()
    started = Event()
    context = caller.context(ask=person, caller="me", progress=lambda *_: started.set())
    caller.call(asking("legacy"), "steps", context, count=1)
    assert started.wait(patience.SECONDS)
    assert caller.call(asking("legacy"), "book", context, day="today").text == "today: cancel"
    assert person.asked == []
    late.cancel()


def test_progress_is_reported(caller: Caller) -> None:
    heard: list[tuple[float, float | None, str]] = []
    context = caller.context(progress=lambda *told: heard.append(told))
    caller.call(asking("legacy"), "steps", context, count=3, pause=0.05)
    assert sorted(heard) == [(1.0, 3.0, "step 1"), (2.0, 3.0, "step 2"), (3.0, 3.0, "step 3")]


def test_a_call_that_is_cancelled_is_cancelled_at_the_server(caller: Caller) -> None:
    started = Event()
    context = caller.context(progress=lambda *_: started.set())
    running = caller.start(asking("legacy"), "steps", context, count=100, pause=0.1)
    assert started.wait(patience.SECONDS)
    running.cancel()
    caller.call(asking("legacy"), "steps", count=1)
    methods = [frame["message"].get("method") for frame in context.frames]
    assert "notifications/cancelled" in methods


@pytest.mark.parametrize(
    ("key", "state"), [("k" * 201, "s"), ("nul \0", "s"), ("k", "nul \0")], ids=repr
)
def test_questions_that_no_database_takes_are_not_asked(key: str, state: str) -> None:
    page = ElicitRequestURLParams(message="m", url="https://example.org/", elicitation_id="1")
    asks = InputRequiredResult(
        input_requests={key: ElicitRequest(params=page)}, request_state=state
    )
    with pytest.raises(ValueError, match="cannot be stored"):
        needed(asks)
