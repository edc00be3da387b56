"""The engine, which reads a response as it arrives, and the trace page, which reads what was
recorded of it, hold the same: over all recordings, and over what odd servers send."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from random import Random
from typing import NamedTuple

import pytest

from chat.llm.dialects import dialect
from chat.llm.dialects.contract import Answer
from chat.llm.dialects.native_calls import write_arguments
from chat.tests.llm.streams import Stream, streams
from chat.tests.llm.test_origins_in_recordings import expect_agreement
from wire.anthropic_messages import MessageEvents
from wire.chat_completions import CompletionEvents
from wire.chunks import Chunk, ReadProblem
from wire.recorded import RecordedResponse, read_pieces, read_response
from wire.response import ResponseReader
from wire.response_parts import ResponsePart

pytestmark = pytest.mark.long
SMALL = 700  # bytes; cut at each of them
over_all = pytest.mark.parametrize("stream", streams(), ids=lambda stream: stream.name)


class Held(NamedTuple):
    """What the engine holds after a response; ids that are made anew are left out."""

    answer: Answer
    chunks: list[Chunk]
    problem: ReadProblem | None


def held(stream: Stream, pieces: Iterable[bytes]) -> Held:
    is_messages = stream.dialect == "anthropic"
    reader = ResponseReader(MessageEvents() if is_messages else CompletionEvents())
    items = [item for piece in pieces for item in reader.feed(piece)] + reader.finish()
    chunks = [item for item in items if isinstance(item, Chunk)]
    parser = dialect(stream.dialect).stream()
    for chunk in chunks:
        parser.feed(chunk.delta)
    return Held(parser.finish()[1], chunks, reader.problem)


def cut(body: bytes, places: Sequence[int]) -> list[bytes]:
    return [body[start:end] for start, end in pairwise([0, *places, len(body)])]


def parts_of(stream: Stream) -> dict[str, ResponsePart]:
    return {part.path: part for part in read_response(stream.body, write_arguments).parts}


@over_all
def test_both_hold_the_same_texts_and_calls(stream: Stream) -> None:
    answer, parts = held(stream, [stream.body]).answer, parts_of(stream)
    expect_agreement(answer, parts)
    refusal = parts.get("refusal", ResponsePart("refusal", "refusal", "")).text
    assert refusal == answer.message.get("refusal", "")
    wire_calls = {call["id"]: call["function"]["arguments"] for call in answer.tool_calls}
    for origin in answer.origins:
        if origin.became == "tool_call" and origin.start is None:
            part = parts[origin.path]
            assert part.text == wire_calls[str(origin.call_id)]
            assert part.id in (origin.call_id, answer.reissued.get(str(origin.call_id), ""))


@over_all
def test_what_arrives_in_pieces_is_what_is_read_of_the_whole(stream: Stream) -> None:
    whole = held(stream, [stream.body])
    size, random = len(stream.body), Random(stream.name)
    ways = [[place] for place in range(size)] if size <= SMALL else []
    ways += [sorted(random.choices(range(size), k=9)) for _ in range(20)] if size else []
    for way in [*ways, list(range(size))]:
        arrived = held(stream, cut(stream.body, way))
        assert (arrived.chunks, arrived.problem) == (whole.chunks, whole.problem), way


@over_all
def test_the_player_shows_piece_by_piece_what_the_page_shows(stream: Stream) -> None:
    recorded = read_pieces(stream.body, write_arguments)
    assert recorded.parts == read_response(stream.body, write_arguments).parts
    assert joined(recorded) == [part.text for part in recorded.parts]
    ends = [piece.end for piece in recorded.pieces]
    assert ends == sorted(ends)
    assert not ends or ends[-1] <= len(stream.body)


def joined(recorded: RecordedResponse) -> list[str]:
    texts = [""] * len(recorded.parts)
    for piece in recorded.pieces:
        texts[piece.part] = piece.text if piece.restarts else texts[piece.part] + piece.text
    return texts


def test_among_them_are_both_protocols_and_every_kind_of_problem() -> None:
    ends = [held(stream, [stream.body]).problem for stream in streams()]
    assert {type(end).__name__ for end in ends} == {"NoneType", "Problem", "ReportedError"}
    assert len({end[0] for end in ends if end is not None and not isinstance(end[0], dict)}) >= 5
    assert len(streams()) > 60
