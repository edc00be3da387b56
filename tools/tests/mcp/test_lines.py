"""Lines that are not quite JSON-RPC: what is clear is taken, and nobody waits for the rest."""

from typing import Any

import pytest
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from tools.mcp.inbound import Inbound
from tools.mcp.transports.lines import UNREADABLE, paired, parse
from tools.tests.calling import Caller, odd

ANSWER = '{"jsonrpc":"2.0","id":1,"result":{"x":%s}}'


def answered(line: bytes | str) -> JSONRPCResponse | JSONRPCError:
    (item,) = parse(line.encode() if isinstance(line, str) else line)
    assert isinstance(item.message, JSONRPCResponse | JSONRPCError)
    return item.message


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (ANSWER % r'"half \ud83d"', "half \ufffd"),
        (ANSWER % r'"half \udE00 and \\ud83d"', "half \ufffd and \\ud83d"),
        (ANSWER % r'"whole \ud83d\ude00"', "whole \U0001f600"),
        (ANSWER % '"a\tb\x00"', "a\tb\x00"),
        ("\ufeff" + ANSWER % "1", 1),
        (ANSWER % "1" + "\r", 1),
        ('{"id":1.0,"result":{"x":1},"error":null}', 1),
        ("[" + ANSWER % "1" + "]", 1),
    ],
)
def test_what_is_clear_is_taken(line: str, value: Any) -> None:
    message = answered(line)
    assert isinstance(message, JSONRPCResponse)
    assert (message.id, message.result["x"]) == (1, value)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        ('{"code":-5}', -5, "no message"),
        ('"bad"', -32603, "bad"),
        ('{"code":"E","message":["bad"]}', -32603, '["bad"]'),
    ],
)
def test_errors_of_every_shape_are_errors(error: str, code: int, said: str) -> None:
    message = answered('{"jsonrpc":"2.0","id":1,"error":' + error + "}")
    assert isinstance(message, JSONRPCError)
    assert (message.error.code, message.error.message) == (code, said)


@pytest.mark.parametrize(
    "line",
    [
        '{"jsonrpc":"2.0","id":1,"result":null}',
        '{"jsonrpc":"2.0","id":1,"result":[]}',
        ANSWER % ("[" * 10_000 + "]" * 10_000),
        ANSWER % ("[" * 300 + "]" * 300),
        ANSWER % ("9" * 5_000),
        ANSWER % "1" + ANSWER % "2",
        ANSWER[:-2] % "tru",
    ],
)
def test_an_answer_that_cannot_be_read_is_an_error(line: str) -> None:
    message = answered(line)
    assert isinstance(message, JSONRPCError)
    assert (message.id, message.error.code) == (1, UNREADABLE)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "hello",
        "[1, 2]",
        "[" * 10_000,
        '{"level":"info","id":1}',
        '{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":tru',
        '{"jsonrpc":"2.0","id":1,"method":5}',
        '{"jsonrpc":"2.0","result":{}}',
    ],
)
def test_what_answers_nothing_is_no_message(line: str) -> None:
    assert parse(line.encode()) == []


def test_a_batch_is_each_of_its_messages() -> None:
    batch = "[" + ",".join([ANSWER % number for number in range(3)] + ["5"]) + "]"
    results = [item.message for item in parse(batch.encode())]
    assert [one.result for one in results if isinstance(one, JSONRPCResponse)] == [
        {"x": 0},
        {"x": 1},
        {"x": 2},
    ]


def test_text_without_halves_stays_as_it_is() -> None:
    data = rb'{"a":"\\ud83d \ud83d\ude00 \n \u00e9"}'
    assert paired(data) == data


@pytest.mark.asyncio
async def test_an_error_without_an_id_is_the_only_waiters_if_no_notification_explains_it() -> None:
    inbound = Inbound()
    inbound.asked(JSONRPCRequest(jsonrpc="2.0", id=1, method="tools/call"))
    inbound.asked(JSONRPCRequest(jsonrpc="2.0", id=2, method="tools/call"))
    params = {"requestId": 1}
    cancelled = JSONRPCNotification(jsonrpc="2.0", method="notifications/cancelled", params=params)
    ids = []
    for message in (None, cancelled, None):
        if message:
            inbound.asked(message)
        (item,) = parse(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse"}}')
        taken = await inbound.taken(item, is_asked=True)
        assert taken is not None and isinstance(taken.message, JSONRPCError)
        ids.append(taken.message.id)
    assert ids == [None, None, 2]


def test_an_answer_that_cannot_be_read_ends_the_call_at_once(caller: Caller) -> None:
    result = caller.call(odd(), "too_deep")
    assert "cannot be used: it is not valid JSON" in result.text
    assert not result.unknown


def test_the_last_line_of_a_program_needs_no_newline(caller: Caller) -> None:
    assert caller.call(odd(), "last_words").text == "the end"
