"""What the Lua scripts write and read, each in one step of Redis."""

import asyncio
import uuid
from typing import Any

from django.conf import settings

from chat.events.log import EventId, client, log_key
from chat.events.scripts import (
    Append,
    AsyncScripts,
    BeginAppend,
    BlockAppend,
    DeltaAppend,
    EventAppend,
    Run,
    StateAppend,
    TextAppend,
    Unwritten,
    append,
    peek,
    take_over,
)

CONVERSATION, TURN = uuid.UUID(int=1), uuid.UUID(int=2)


def a_run(epoch: int) -> Run:
    return Run(CONVERSATION, TURN, uuid.UUID(int=100 + epoch), epoch, round=1)


def a_delta(text: bytes, bytes_before: int, epoch: int = 1) -> DeltaAppend:
    generation = str(a_run(epoch).generation)
    return DeltaAppend(
        str(CONVERSATION), "{}", str(TURN), generation, epoch, "content", bytes_before, text
    )


def a_text(epoch: int, text: bytes, *, is_anew: bool = False) -> TextAppend:
    return TextAppend(a_run(epoch), [text, b"", b""], '"text"', ['"begin"'], is_anew)


def a_state(epoch: int, *, is_end: bool = False) -> StateAppend:
    return StateAppend(CONVERSATION, '"end"' if is_end else '"state"', str(TURN), epoch, is_end)


async def written(*appends: Append) -> Unwritten:
    scripts = AsyncScripts(settings.REDIS_URL)
    try:
        return await scripts.append(appends)
    finally:
        await scripts.close()


def run(*appends: Append) -> tuple[list[int], list[int]]:
    return asyncio.run(written(*appends))


def events() -> list[str]:
    entries: Any = client().xrange(log_key(CONVERSATION))
    return [fields[b"e"].decode().strip('"') for _, fields in entries]


def content() -> str | None:
    text = peek(CONVERSATION, [TURN]).running.get(TURN)
    return text.parts["content"] if text else None


def test_a_log_is_empty_before_its_first_event(redis_server: object) -> None:
    state = peek(CONVERSATION, [TURN])
    assert (state.last, state.running) == (None, {})


def test_ids_of_a_log_have_no_gap(redis_server: object) -> None:
    append([EventAppend(CONVERSATION, "{}")])
    append([EventAppend(CONVERSATION, "{}"), EventAppend(CONVERSATION, "{}")])
    entries: Any = client().xrange(log_key(CONVERSATION))
    ids = [EventId.parse(entry_id.decode()) for entry_id, _ in entries]
    assert [event_id.n for event_id in ids] == [1, 2, 3]
    assert peek(CONVERSATION, []).last == ids[-1]


def test_a_delta_makes_the_running_text_longer(redis_server: object) -> None:
    deltas = (a_delta("三".encode(), 0), a_delta(b" cards", 3))
    assert run(BeginAppend(a_run(1)), *deltas) == ([], [])
    text = peek(CONVERSATION, [TURN]).running[TURN]
    assert text.parts == {"content": "三 cards", "reasoning": "", "calls": ""}
    assert (text.generation, text.epoch, text.round) == (str(uuid.UUID(int=101)), 1, 1)


def test_a_delta_at_another_place_is_lost_without_its_event(redis_server: object) -> None:
    appends = (BeginAppend(a_run(1)), a_delta(b"a", 0), a_delta(b"c", 2), a_delta(b"b", 1))
    assert run(*appends) == ([2], [])
    assert (content(), events()) == ("ab", ["{}", "{}"])


def test_a_delta_without_a_run_is_lost(redis_server: object) -> None:
    assert run(a_delta(b"a", 0)) == ([0], [])
    assert peek(CONVERSATION, []).last is None


def test_a_delta_of_another_generation_is_lost_wherever_it_would_fit(redis_server: object) -> None:
    assert run(BeginAppend(a_run(2)), a_delta(b"a", 0, epoch=1)) == ([1], [])
    assert content() == ""


def test_a_block_of_a_lost_delta_is_lost_with_it(redis_server: object) -> None:
    generation = str(a_run(1).generation)
    block = BlockAppend(str(CONVERSATION), "{}", str(TURN), generation, 1)
    appends = (BeginAppend(a_run(1)), block, a_delta(b"b", 1), block)
    assert run(*appends) == ([2, 3], [])


def test_the_beginning_is_told_once_however_often_it_is_written(redis_server: object) -> None:
    begin = BeginAppend(a_run(1), ['"begin"'])
    assert run(begin, a_delta(b"a", 0), begin, a_text(1, b"ab")) == ([], [])
    assert (content(), events()) == ("ab", ["begin", "{}", "text"])


def test_a_text_that_redis_does_not_know_begins_anew_only_if_it_may(redis_server: object) -> None:
    assert run(a_text(1, b"one")) == ([0], [])
    assert events() == []
    assert run(a_text(1, b"one", is_anew=True)) == ([], [])
    assert (content(), events()) == ("one", ["begin", "text"])


def test_an_older_epoch_is_refused(redis_server: object) -> None:
    run(a_text(2, b"two", is_anew=True))
    older = (a_text(1, b"one", is_anew=True), BeginAppend(a_run(1), ['"begin"']), a_state(1))
    assert run(*older) == ([], [0, 1, 2])
    assert (content(), events()) == ("two", ["begin", "text"])


def test_who_takes_over_has_the_text_and_older_epochs_add_nothing(redis_server: object) -> None:
    run(BeginAppend(a_run(1)), a_delta(b"a", 0))
    text = take_over(TURN, 2)
    assert text is not None
    assert (text.generation, text.parts["content"]) == (str(a_run(1).generation), "a")
    assert run(a_delta(b"b", 1), a_text(1, b"ab"), a_state(1)) == ([0], [1, 2])
    assert run(BeginAppend(a_run(2)), a_delta(b"x", 0, epoch=2)) == ([], [])


def test_a_turn_without_a_text_can_be_taken_over(redis_server: object) -> None:
    assert take_over(TURN, 2) is None
    assert run(BeginAppend(a_run(1)), BeginAppend(a_run(2))) == ([], [0])


def test_a_turn_that_is_over_is_not_told_to_run(redis_server: object) -> None:
    run(BeginAppend(a_run(1)), a_delta(b"a", 0), a_state(1), a_state(1, is_end=True))
    late = (a_state(2), BeginAppend(a_run(2), ['"begin"']), a_text(1, b"ab", is_anew=True))
    assert run(*late) == ([], [0, 1, 2])
    assert run(a_delta(b"b", 1), a_state(1, is_end=True)) == ([0], [])
    assert (content(), events()) == (None, ["{}", "state", "end", "end"])
