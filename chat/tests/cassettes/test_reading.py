"""A cassette's file is read strictly, and what is wrong is said with its place."""

from typing import Any

import pytest

from chat.cassettes.reading import read
from chat.errors import BrokenCassette
from chat.tests.cassettes.builders import HELLO, document, generation, response, stream, written


def a_document() -> Any:
    return document([generation(HELLO, response(stream("Hi")))])


def broken(document: Any) -> str:
    with pytest.raises(BrokenCassette) as caught:
        read(document if isinstance(document, bytes) else written(document))
    return str(caught.value)


def test_bytes_and_arrivals_are_read_as_they_are() -> None:
    found = read(written(a_document())).turns[0].rounds[0].generations[0]
    assert found.response is not None
    assert found.response.body == stream("Hi").encode()
    assert found.response.chunks == ((5.0, len(stream("Hi"))),)
    assert found.sent["messages"] == HELLO


def test_millions_of_lists_are_refused_before_they_are_read() -> None:
    assert "2,000,000 lists and objects" in broken(b"[" + b"[]," * 2_000_000 + b"[]]")


def test_bytes_that_are_no_text_are_base64() -> None:
    value = a_document()
    answer = value["turns"][0]["rounds"][0]["generations"][0]["response"]
    del answer["body"]
    answer |= {"body_base64": "//4=", "chunks": [[1, 2]]}
    found = read(written(value)).generations[0].response
    assert found is not None
    assert found.body == b"\xff\xfe"


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("turns", {}, "turns has to be a list, and is {}."),
        (
            "turns.0.rounds.0.number",
            "1",
            'turns[0].rounds[0].number has to be a number, and is "1".',
        ),
        (
            "turns.0.rounds.0.tools",
            ["echo"],
            'turns[0].rounds[0].tools[0] has to be an object, and is "echo".',
        ),
        (
            "turns.0.rounds.0.generations.0.model",
            None,
            "turns[0].rounds[0].generations[0].model has to be text, and is missing.",
        ),
        (
            "turns.0.rounds.0.generations.0.response.chunks",
            [[1, 3]],
            "turns[0].rounds[0].generations[0].response.chunks do not make up the body of",
        ),
        (
            "turns.0.rounds.0.generations.0.response.status",
            99,
            "turns[0].rounds[0].generations[0].response.status is no HTTP status: 99.",
        ),
        (
            "turns.0.rounds.0.generations.0.response.headers.0.1",
            "a\r\nb: c",
            "turns[0].rounds[0].generations[0].response.headers[0] has to be [name, value]",
        ),
        (
            "turns.0.rounds.0.generations.0.response.headers.0.0",
            "set-cookie",
            "the name one of content-encoding, content-type, retry-after, retry-after-ms.",
        ),
        (
            "turns.0.rounds.0.generations.0.request.body",
            "[]",
            "turns[0].rounds[0].generations[0].request has a body that is no JSON object",
        ),
        (
            "turns.0.rounds.0.generations.0.protocol",
            "grpc",
            'generations[0].protocol has to be openai or anthropic, and is "grpc".',
        ),
        ("version", 2, "This cassette is of version 2; this program reads version 1."),
        ("format", "har", "This is no cassette: its format is 'har'"),
    ],
)
def test_what_is_broken_is_said_with_its_place(path: str, value: Any, sentence: str) -> None:
    changed = a_document()
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    at = changed
    for step in way:
        at = at[step]
    at[last] = value
    assert sentence in broken(changed)


def test_what_is_not_json_is_said_with_line_and_column() -> None:
    assert "in line 2, column 1" in broken(b'{"format":\n!}')
    assert broken(b"\xff") == "The file is not UTF-8: byte 0."
    assert "too deep" in broken(b"[" * 100_000)
    assert broken([]) == "The document has to be an object, and is []."
