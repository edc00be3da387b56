"""A model whose window nobody knows, and which is small: every conversation goes on."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.agent import share
from chat.errors import Rejected
from chat.models import Compaction, LanguageModel, Message, Preset, Provider, Turn
from chat.tests.engine import narrow
from chat.tests.engine.conftest import answer_rings, limit
from chat.tests.engine.faulty import attempts
from chat.tests.engine.narrow import ANSWER, Narrow
from tools.models import Server
from tools.tests.calling import odd, store_listing
from tracing.models import Payload, Span
from tracing.page.budget.context_budget import read_budget

pytestmark = pytest.mark.process

Send = Callable[..., Turn]
LINE = "a line that says something of some length, so that it fills the window. " * 25


# Where the refusal says how large the window is, and where it does not. Once it is known, all goes
# the same way: only what learns it is run with both.
both = pytest.mark.parametrize(
    "endpoint", [narrow.named, narrow.unnamed], ids=["named", "not named"], indirect=True
)


@pytest.fixture(
    params=[
        pytest.param(narrow.named, id="named"),
        pytest.param(narrow.unnamed, id="not named", marks=pytest.mark.campaign),
    ]
)
def endpoint(request: pytest.FixtureRequest) -> Narrow:
    return Narrow(request.param)


@pytest.fixture
def small(owner: User, endpoint: Narrow) -> Iterator[LanguageModel]:
    program = odd()
    row = Server.objects.create(name="odd", command=program.command, args=list(program.args))
    store_listing(row)
    preset = Preset.objects.create(
        name="Agent", tools=["odd-echo_many"], policies=[["*", "allow"]], system_prompt="Be short."
    )
    with endpoint.running() as server:
        provider = Provider.objects.create(name="Narrow", base_url=server.base_url)
        yield LanguageModel.objects.create(provider=provider, name="narrow", preset=preset)


def talk(small: LanguageModel, send: Send, *texts: str) -> list[Turn]:
    """One turn a text, in one conversation."""
    made: list[Turn] = []
    for text in texts:
        conversation = made[0].conversation if made else None
        made.append(answer_rings(send(small, text, conversation), most=200))
    return made


def states(turns: list[Turn]) -> set[tuple[str, str]]:
    return {(turn.status, turn.error) for turn in turns}


def caps(turn: Turn) -> list[Span]:
    return list(Span.objects.filter(trace=turn.trace_id, kind="compaction", name="cap"))


@both
def test_it_is_driven_past_its_end_ten_times_and_goes_on(
    small: LanguageModel, send: Send, endpoint: Narrow
) -> None:
    turns = talk(small, send, *(f"{n}: {LINE * 7}" for n in range(10)), "and now?")
    assert states(turns) == {("done", "")}
    assert endpoint.sent[-1][-1]["content"].endswith("and now?")
    stored = Message.objects.filter(role="user", conversation=turns[0].conversation)
    assert all(len(body["content"]) > len(LINE) * 7 for body in _bodies(stored)[:-1])


def test_a_result_of_30_000_characters_is_cut_and_every_next_question_is_answered(
    small: LanguageModel, send: Send, endpoint: Narrow
) -> None:
    turns = talk(small, send, *(["look [one]", "and now?"] * 5))
    assert states(turns) == {("done", "")}
    results = [m["content"] for sent in endpoint.sent for m in sent if m["role"] == "tool"]
    assert any("30,000 characters in all; the middle was cut" in text for text in results)
    assert {len(body["content"]) for body in _bodies(Message.objects.filter(role="tool"))} == {
        narrow.RESULT_CHARACTERS
    }


def test_many_large_results_of_one_round_are_cut_together(
    small: LanguageModel, send: Send, endpoint: Narrow
) -> None:
    turns = talk(small, send, *["look [many]", "and now?"] * 3)
    assert states(turns) == {("done", "")}


def test_a_huge_message_is_cut_and_the_trace_says_so(
    small: LanguageModel, send: Send, endpoint: Narrow
) -> None:
    (turn,) = talk(small, send, LINE * 200)
    assert states([turn]) == {("done", "")}
    (made, *_) = caps(turn)[-1:]
    assert made.attributes["replaced"][0]["tool"] == "a message"
    assert "characters in all; the middle was cut" in endpoint.sent[-1][-1]["content"]
    assert turn.question is not None
    assert len(turn.question.body["content"]) == len(LINE) * 200


@both
def test_the_window_is_learned_once_and_kept_with_the_model(
    small: LanguageModel, send: Send, endpoint: Narrow
) -> None:
    talk(small, send, LINE * 200)
    small.refresh_from_db()
    is_named = endpoint.words is narrow.named
    assert small.refused_is_estimate is not is_named
    assert small.refused_window == narrow.WINDOW if is_named else small.refused_window
    assert (small.refused_window or 0) <= narrow.WINDOW
    refused = endpoint.refused
    (turn,) = talk(small, send, LINE * 7)
    assert (turn.status, endpoint.refused) == ("done", refused)


def test_what_an_admin_set_stays_and_the_conversation_goes_on_all_the_same(
    small: LanguageModel, send: Send
) -> None:
    small.context_window = 128_000
    small.save()
    turns = talk(small, send, f"look [one] {LINE * 20}", "and now?")
    assert states(turns) == {("done", "")}
    first, *_, last = attempts(turns[0])
    assert (first.attributes["context_window"], first.attributes["context_window_source"]) == (
        128_000,
        "model",
    )
    assert last.attributes["context_window_source"] == "refusal"


def test_engine_head_and_trace_go_by_the_same_window(small: LanguageModel, send: Send) -> None:
    limit(small, context_window=3_000)
    (turn,) = talk(small, send, "hello")
    (made,) = attempts(turn)
    made.attributes["usage"] = {"prompt_tokens": 600}
    made.save()
    known = share.of_conversation(turn.conversation)
    assert turn.trace is not None
    stored = Payload.objects.get(span=made, stage="request")
    budget = read_budget(turn.trace.archive, made, stored, None, None)
    assert known and (known.window, known.percent) == (3_000, 20)
    assert budget and (budget.window, budget.filled, budget.source) == (
        3_000,
        20.0,
        "set for the assistant",
    )


def test_without_summaries_too_it_goes_on(
    small: LanguageModel, send: Send, endpoint: Narrow
) -> None:
    limit(small, auto_share=0, micro_share=0)
    turns = talk(small, send, *(f"{n} [one]: {LINE}" for n in range(8)))
    assert states(turns) == {("done", "")}


@both
def test_once_the_window_is_known_a_message_that_is_too_long_is_refused_with_the_estimate(
    small: LanguageModel, send: Send, endpoint: Narrow
) -> None:
    (turn,) = talk(small, send, LINE * 200)
    if endpoint.words is narrow.unnamed:
        assert answer_rings(send(small, LINE * 200, turn.conversation)).status == "done"
        return
    with pytest.raises(Rejected, match=r"about 90,000 tokens; narrow takes 4,000"):
        send(small, LINE * 200, turn.conversation)
    assert answer_rings(send(small, "and now?", turn.conversation)).status == "done"


@both
def test_what_no_cut_can_help_ends_with_what_would(
    small: LanguageModel, send: Send, endpoint: Narrow
) -> None:
    assert small.preset is not None
    small.preset.system_prompt = LINE * 20
    small.preset.save()
    (turn,) = talk(small, send, "hello")
    assert turn.status == "failed"
    assert "shorten the system prompt" in turn.error
    assert len(attempts(turn)) <= 4


def _bodies(messages: Any) -> list[dict[str, Any]]:
    return list(messages.order_by("id").values_list("body", flat=True))


def test_the_answer_is_stored_once(small: LanguageModel, send: Send) -> None:
    (turn,) = talk(small, send, LINE * 30)
    assert turn.answer is not None
    assert turn.answer.body["content"] == ANSWER
    assert not Compaction.objects.filter(conversation=turn.conversation, kind="summary").exists()
