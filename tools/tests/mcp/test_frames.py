"""What is kept of a session's messages, and what the session sees of strange ones."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from mcp_types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from limits.mcp import MAX_KEPT_FRAMES, MAX_LIST_ENTRIES
from tools.mcp.frames import Journal
from tools.mcp.inbound import Inbound
from tools.mcp.masking import Masking
from tools.mcp.sdk import SessionMessage
from tools.values.call import Frame

Asked = tuple[Journal, list[Frame]]


@pytest.fixture
def asked() -> Iterator[Asked]:
    """A journal with the call 7 under way, and the frames of that call."""
    journal, frames = Journal(Masking()), list[Frame]()
    with journal.record_call("key", frames):
        params = {"name": "t", "_meta": {"roundtrip/call": "key"}}
        journal.sent(JSONRPCRequest(jsonrpc="2.0", id=7, method="tools/call", params=params))
        yield journal, frames


def answer(number: int | str = 7, **result: Any) -> JSONRPCResponse:
    return JSONRPCResponse(jsonrpc="2.0", id=number, result=result)


def noted(**params: Any) -> JSONRPCNotification:
    return JSONRPCNotification(jsonrpc="2.0", method="notifications/progress", params=params)


def taken(**result: Any) -> dict[str, Any]:
    """What the session sees of an answer."""
    item = SessionMessage(answer(**result))
    seen = asyncio.run(Inbound().taken(item, is_asked=True))
    assert seen is not None and isinstance(seen.message, JSONRPCResponse)
    return seen.message.result


@pytest.mark.parametrize("token", [{"a": 1}, [1], None, 1.5, True])
def test_a_token_that_is_none_ends_nothing(token: Any, asked: Asked) -> None:
    journal, frames = asked
    journal.received(noted(progressToken=token, progress=1))
    journal.received(answer())
    assert frames[-1]["message"]["result"] == {}


def test_an_answer_whose_id_became_a_text_is_kept(asked: Asked) -> None:
    journal, frames = asked
    journal.received(answer("7"))
    assert frames[-1]["message"]["id"] == "7"


@pytest.mark.parametrize("method", ["ping", "notifications/message", "answer"])
def test_what_comes_beside_the_answer_has_bounds(method: str, asked: Asked) -> None:
    journal, frames = asked
    params = {"data": "x" * 1_000_000}
    for number in range(20):
        if method == "ping":
            journal.received(JSONRPCRequest(jsonrpc="2.0", id=number, method=method, params=params))
        elif method == "answer":
            journal.received(answer(data=params))
        else:
            journal.received(JSONRPCNotification(jsonrpc="2.0", method=method, params=params))
    journal.received(answer(last=True))
    assert len(frames) < MAX_KEPT_FRAMES / 1_000_000 + 4
    assert method == "answer" or frames[-1]["message"]["result"] == {"last": True}


def test_a_handshake_of_megabytes_is_not_kept_whole() -> None:
    journal = Journal(Masking())
    for _ in range(20):
        journal.received(answer(instructions="x" * 2_000_000))
    assert 0 < len(journal.opening) < 5


def test_very_many_blocks_of_content_become_few() -> None:
    content = [{"type": "text", "text": str(number)} for number in range(100_000)]
    seen = taken(content=content)["content"]
    assert len(seen) == MAX_LIST_ENTRIES
    assert "\n".join(block["text"] for block in seen) == "\n".join(map(str, range(100_000)))


@pytest.mark.parametrize(
    "block",
    [{"type": "hologram", "data": "x"}, {"type": "image", "data": "AAAA"}, {"type": "resource"}],
)
def test_content_that_is_not_known_is_text(block: dict[str, Any]) -> None:
    known = {"type": "text", "text": "known"}
    strange, kept = taken(content=[block, known])["content"]
    assert (strange["type"], kept) == ("text", known)
    assert block["type"] in strange["text"]


def test_a_list_of_very_many_tools_is_cut() -> None:
    assert len(taken(tools=[{}] * 50_000)["tools"]) == MAX_LIST_ENTRIES
