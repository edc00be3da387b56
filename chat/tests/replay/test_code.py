"""A recorded request as a program: what a server receives from it, byte for byte."""

import inspect
import json
import os
import subprocess
import sys
from typing import Any

import anthropic
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.stub import Stub
from chat.errors import Rejected
from chat.llm.recording import MASK
from chat.trace_views.code.curl import curl
from chat.trace_views.code.python import NAMED_ARGUMENTS, literal, python
from chat.trace_views.code.recorded_request import RecordedRequest
from limits.replay import MAX_CURL_ARGUMENT_BYTES

pytestmark = pytest.mark.process

KEY = "sk-from-the-environment"
AWKWARD = 'it\'s "quoted" \\ $HOME `id` !! %s\n\n数据库 😀 \u202e end'
TOOL = {"type": "function", "function": {"name": "count", "parameters": {"type": "object"}}}
COMPLETION: dict[str, Any] = {
    "model": "stub-n5",
    "messages": [
        {"role": "system", "content": AWKWARD},
        {"role": "assistant", "content": None, "reasoning_content": "Hm.", "is_cut": True},
    ],
    "tools": [TOOL],
    "stream": True,
    "stream_options": {"include_usage": True},
    "temperature": 0.0,
    "top_k": 20,
}
MESSAGE: dict[str, Any] = {
    "model": "stub-n5",
    "max_tokens": 100,
    "system": AWKWARD,
    "messages": [{"role": "user", "content": [{"type": "text", "text": AWKWARD}]}],
    "stream": True,
    "top_k": 20,
}
BODIES = [
    json.dumps(COMPLETION, ensure_ascii=False).encode(),
    b"@" + os.devnull.encode(),
    b"line\nend\n",
    b"\xff\x00 no UTF-8\r\n",
    b"'" * 40_000,
    json.dumps({"text": "'x' " * MAX_CURL_ARGUMENT_BYTES}).encode(),
]


def sent(
    stub: Stub, body: bytes, path: str = "/chat/completions", **headers: str
) -> RecordedRequest:
    named = {
        "Authorization": MASK,
        "Content-Type": "application/json",
        "X-Odd": 'a "b" $c',
        **headers,
    }
    return RecordedRequest("POST", stub.base_url + path, list(named.items()), body)


def run(command: list[str], text: str = "") -> None:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    keys = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
    done = subprocess.run(
        command, input=text, env=kept | keys, capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_curl_sends_the_recorded_bytes(stub: Stub, body: bytes) -> None:
    run(["sh"], curl(sent(stub, body)))
    arrived = stub.completions[-1]
    assert arrived.body == body
    headers = {name.lower(): value for name, value in arrived.headers}
    assert headers["authorization"] == f"Bearer {KEY}"
    assert headers["x-odd"] == 'a "b" $c'


def test_curl_has_no_mask_and_no_length_of_its_own(stub: Stub) -> None:
    command = curl(sent(stub, b"{}", **{"x-api-key": MASK}))
    assert MASK not in command
    assert '--header "x-api-key: $OPENAI_API_KEY"' in command


def test_python_sends_the_same_json_to_chat_completions(stub: Stub) -> None:
    run([sys.executable, "-"], python(sent(stub, json.dumps(COMPLETION).encode())))
    arrived = stub.completions[-1]
    assert json.loads(arrived.body) == COMPLETION
    assert dict(arrived.headers)["authorization"] == f"Bearer {KEY}"
    assert dict(arrived.headers)["x-odd"] == 'a "b" $c'


def test_python_sends_the_same_json_to_the_messages_api(stub: Stub) -> None:
    run([sys.executable, "-"], python(sent(stub, json.dumps(MESSAGE).encode(), "/messages")))
    arrived = stub.completions[-1]
    assert arrived.path == "/v1/messages"
    assert json.loads(arrived.body) == MESSAGE


@pytest.mark.parametrize("body", [b"", b"[]", b"\xff", b'{"model": "a"}', b"[" * 100_000])
def test_python_says_what_it_cannot_send(stub: Stub, body: bytes) -> None:
    with pytest.raises(Rejected, match="copy it as curl"):
        python(sent(stub, body))


def test_the_sdks_have_the_arguments_that_are_named() -> None:
    completions = inspect.signature(openai.resources.chat.Completions.create).parameters
    messages = inspect.signature(anthropic.resources.Messages.create).parameters
    assert completions.keys() >= NAMED_ARGUMENTS[False]
    assert messages.keys() >= NAMED_ARGUMENTS[True]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON)
def test_a_literal_is_the_value(value: Any) -> None:
    assert eval(literal(value)) == value
