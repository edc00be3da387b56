"""The load client against a scripted server that speaks the product's protocol."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

from websockets.asyncio.server import ServerConnection, serve

from benchmarks.figures import Figures
from benchmarks.load import Target, load
from benchmarks.measuring import Plan
from benchmarks.stub.text import timed_tokens

Frame = dict[str, Any]
TURN = {"turn": "t", "epoch": 1}


def texts(*pieces: str, epoch: int = 1) -> Iterator[Frame]:
    """The texts as delta frames, each at its offset."""
    offset = 0
    for piece in pieces:
        base = {"type": "delta", "turn": "t", "part": "content"}
        yield {**base, "epoch": epoch, "offset": offset, "text": piece}
        offset += len(piece)


def ended(state: str = "done", error: str | None = None) -> Frame:
    return {"type": "turn", **TURN, "state": state, "error": error}


def measured(*script: Frame | list[Frame], sent: list[Frame] | None = None, **plan: Any) -> Figures:
    """The figures of the load client when the server answers every send with the script; what the
    client sends is appended to `sent`."""
    received = [] if sent is None else sent

    async def handler(connection: ServerConnection) -> None:
        await connection.send(json.dumps({"type": "hello", "protocol": 1}))
        async for message in connection:
            received.append(json.loads(message))
            key = received[-1]["key"]
            accepted = {"type": "accepted", "key": key, "conversation": "c", "turn": "t"}
            for frame in (accepted, *script):
                await connection.send(json.dumps(frame))
            if not script:
                await connection.close(4403)

    async def run() -> Figures:
        async with serve(handler, "127.0.0.1", 0) as server:
            target = Target(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", ["a=b"], "m")
            defaults = {"streams": 1, "tokens": 3, "start_within": 0.0, "timeout": 5.0}
            return await load(target, Plan(**{**defaults, **plan}))

    return asyncio.run(run())


def tokens(count: int = 3) -> list[str]:
    return list(timed_tokens(count))


def faults(result: Figures) -> tuple[int, int, int, int]:
    return result.failed, result.lost, result.duplicated, result.reordered


def test_turns_on_several_sockets_add_up() -> None:
    result = measured(*texts(*tokens()), ended(), streams=4, turns=2)
    assert (result.turns, result.received, faults(result)) == (8, 24, (0, 0, 0, 0))
    assert result.first_token
    assert result.latency
    assert result.latency.max < 5_000


def test_first_turns_can_be_left_out_of_the_figures() -> None:
    result = measured(*texts(*tokens()), ended(), turns=3, discarded=2)
    assert (result.turns, result.received) == (1, 3)


def test_each_turn_may_begin_a_conversation() -> None:
    sent: list[Frame] = []
    measured(*texts(*tokens()), ended(), turns=2, sent=sent)
    measured(*texts(*tokens()), ended(), turns=2, fresh=True, sent=sent)
    assert [frame["conversation"] for frame in sent] == [None, "c", None, None]


def test_several_frames_may_come_as_one_message() -> None:
    assert faults(measured([*texts(*tokens()), ended()])) == (0, 0, 0, 0)


def test_a_missing_delta_is_a_gap_and_its_token_lost() -> None:
    first, _, last = texts(*tokens())
    result = measured(first, last, ended())
    assert faults(result) == (1, 1, 0, 0)
    assert result.errors[0].startswith("a delta at ")


def test_a_delta_sent_twice_is_a_gap_and_its_token_doubled() -> None:
    first, *others = texts(*tokens())
    assert faults(measured(first, first, *others, ended())) == (1, 0, 1, 0)


def test_the_whole_text_takes_the_place_of_what_came_before() -> None:
    first, second, third = tokens()
    whole = {"type": "text", **TURN, "epoch": 2, "parts": {"content": first + second}}
    late = next(texts("99:0.", epoch=1))
    *_, last = texts(first, second, third, epoch=2)
    assert faults(measured(*texts(first), whole, late, last, ended())) == (0, 0, 0, 0)


def test_a_further_attempt_begins_the_text_again() -> None:
    again = {"type": "generation", **TURN, "round": 1, "attempt": 2, "state": "running"}
    first, *_ = tokens()
    assert faults(measured(*texts(first), again, *texts(*tokens()), ended())) == (0, 0, 0, 0)


def test_reasoning_is_no_content() -> None:
    thought = {"type": "delta", **TURN, "part": "reasoning", "offset": 0, "text": "0:0."}
    assert faults(measured(thought, *texts(*tokens()), ended())) == (0, 0, 0, 0)


def test_a_turn_that_ends_otherwise_has_failed() -> None:
    result = measured(*texts(*tokens()), ended("failed", "The provider said no."))
    assert (result.failed, result.errors) == (1, ["failed: The provider said no."])


def test_a_rejected_message_is_a_failed_turn() -> None:
    result = measured({"type": "rejected", "key": "k", "error": "Too long."})
    assert (result.failed, result.lost, result.errors) == (1, 3, ["rejected: Too long."])


def test_a_socket_that_closes_ends_its_turn() -> None:
    assert measured().errors == ["the socket closed with 4403"]


def test_a_turn_without_end_fails_by_its_timeout() -> None:
    result = measured(*texts(*tokens()), timeout=0.2)
    assert (result.failed, result.lost, result.errors) == (1, 0, ["not over after 0 s"])
