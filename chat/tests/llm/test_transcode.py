"""The core of `manage.py transcode`, and the command itself in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.llm.dialects import DIALECTS
from chat.llm.transcode import (
    READERS,
    WRITERS,
    Direction,
    from_dialect,
    from_stream,
    to_dialect,
    transcode,
)
from chat.tests.llm.conversations import WEATHER, assistant, block, call, user

MANAGE = Path(__file__).parents[3] / "manage.py"
DEEP = "[" * 200_000
DIRECTIONS = {
    **{f"to {name}": to_dialect(name) for name in WRITERS},
    **{f"from {name}": from_dialect(name) for name in READERS},
    **{f"from a stream of {name}": from_stream(name) for name in DIALECTS},
}
every_direction = pytest.mark.parametrize("direction", DIRECTIONS.values(), ids=DIRECTIONS)


def run(*options: str, given: bytes, home: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, MANAGE, "transcode", *options],
        input=given,
        capture_output=True,
        timeout=30,
        check=True,
        env=os.environ | {"ROUNDTRIP_HOME": str(home), "PYTHONUTF8": "0", "LC_ALL": "C"},
    )


def output(direction: Direction, value: Any) -> Any:
    return json.loads(transcode(direction, json.dumps(value).encode())[0])


def test_to_native_writes_messages_and_tools() -> None:
    bare = WEATHER["function"]

    assert output(to_dialect("native"), {"messages": [user("?")], "tools": [bare]}) == {
        "messages": [user("?")],
        "tools": [WEATHER],
    }


def test_to_nous_writes_messages_alone() -> None:
    assert list(output(to_dialect("nous"), {"messages": [user("?")], "tools": [WEATHER]})) == [
        "messages"
    ]


def test_what_cannot_be_expressed_is_a_note() -> None:
    conversation = {"messages": [], "tools": [WEATHER], "tool_choice": "required"}

    _, notes = transcode(to_dialect("nous"), json.dumps(conversation).encode())

    assert notes == ["The model cannot be made to call a tool: it decides by itself."]


def test_from_native_writes_the_canonical_message() -> None:
    message = assistant("", call("f"))

    assert output(from_dialect("native"), {**message, "content": None, "audio": None}) == message


def test_from_nous_adds_an_error_where_something_was_malformed() -> None:
    read = output(
        from_dialect("nous"), {"role": "assistant", "content": f"{block('f')}<tool_call>x"}
    )

    assert (len(read["tool_calls"]), read["content"]) == (1, "x")
    assert read["error"]


def test_a_stream_adds_what_each_delta_made_visible_and_what_the_end_did() -> None:
    read = output(from_stream("nous"), ["Hi <tool", "_calls> ", "there <"])

    assert read == {
        "role": "assistant",
        "content": "Hi <tool_calls> there <",
        "visible": ["Hi", " <tool_calls>", " there", " <"],
    }


def test_a_delta_may_be_null() -> None:
    read = output(from_stream("nous"), [None, "a", None])

    assert read == {"role": "assistant", "content": "a", "visible": ["", "a", "", ""]}


def test_a_native_stream_takes_deltas_as_objects() -> None:
    piece = {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}]}

    read = output(from_stream("native"), [{"content": "Hi"}, piece])

    assert read == {**assistant("Hi", call("f")), "visible": ["Hi", "", ""]}


def test_a_stream_may_come_in_its_chunks() -> None:
    chunks = [{"choices": [{"index": 0, "delta": {"content": "Hi"}}]}, {"choices": [], "usage": {}}]

    read = output(from_stream("native"), chunks)

    assert read == {**assistant("Hi"), "visible": ["Hi", "", ""]}


@every_direction
@pytest.mark.parametrize(
    "text", [b"", b"{", b"\xff", b"42", b"null", b"[[]]", b"NaN", b"\x00", DEEP.encode()],
    ids=lambda text: repr(text[:9]),
)  # fmt: skip
def test_a_bad_input_is_an_error_beside_an_empty_output(direction: Direction, text: bytes) -> None:
    read = json.loads(transcode(direction, text)[0])

    assert read.pop("error")
    assert read == direction.instead


keys = st.sampled_from(
    ["messages", "role", "content", "tool_calls", "function", "name", "arguments", "tools"]
)
almost_canonical = st.recursive(
    st.none() | st.integers() | st.text() | st.sampled_from(["user", "assistant", "tool"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
)


@every_direction
@given(value=almost_canonical)
def test_any_json_gives_one_line_of_json(direction: Direction, value: Any) -> None:
    line, _ = transcode(direction, json.dumps(value).encode())

    assert "\n" not in line
    assert json.loads(line.encode())


def test_lone_surrogates_pass_to_a_request_and_are_replaced_in_an_answer() -> None:
    assert output(to_dialect("native"), {"messages": [user("\ud800")]})["messages"] == [
        user("\ud800")
    ]
    assert output(from_dialect("native"), assistant("\ud800"))["content"] == "\ufffd"


@pytest.mark.process
def test_the_command_answers_line_by_line_whatever_the_lines_are(tmp_path: Path) -> None:
    good = json.dumps({"messages": [user("a\u2028b\x85c 北")]}, ensure_ascii=False).encode()

    done = run(
        "--to", "nous", "--jsonl",
        given=b"\n".join([good, b"\xff", b"", DEEP.encode(), b"{", good + b"\r", good]),
        home=tmp_path,
    )  # fmt: skip

    lines = done.stdout.removesuffix(b"\n").split(b"\n")
    assert [list(json.loads(line)) for line in lines] == [
        ["messages"], ["error"], ["error"], ["error"], ["error"], ["messages"], ["messages"],
    ]  # fmt: skip
    assert "a\u2028b\x85c 北".encode() in lines[0]


@pytest.mark.process
def test_the_command_reads_all_of_its_input_as_one(tmp_path: Path) -> None:
    pretty = json.dumps(["<think>hm</think>", "Hi"], indent=1).encode()

    done = run("--from", "nous", "--stream", given=pretty, home=tmp_path)

    assert json.loads(done.stdout) == {
        "role": "assistant",
        "content": "Hi",
        "reasoning_content": "hm",
        "visible": ["", "Hi", ""],
    }


@pytest.mark.process
def test_the_command_says_on_stderr_what_cannot_be_expressed(tmp_path: Path) -> None:
    conversation = {"messages": [], "tools": [WEATHER], "tool_choice": "required"}

    done = run("--to", "nous", given=json.dumps(conversation).encode(), home=tmp_path)

    assert b"it decides by itself" in done.stderr


@pytest.mark.process
def test_the_command_ends_quietly_when_nobody_reads_on(tmp_path: Path) -> None:
    ours, theirs = os.pipe()
    os.close(ours)

    done = subprocess.run(
        [sys.executable, MANAGE, "transcode", "--to", "native"],
        input=b"{}",
        stdout=theirs,
        stderr=subprocess.PIPE,
        timeout=30,
        env=os.environ | {"ROUNDTRIP_HOME": str(tmp_path)},
    )
    os.close(theirs)

    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.process
def test_the_command_makes_no_database(tmp_path: Path) -> None:
    run("--to", "native", given=b"{}", home=tmp_path)

    assert list(tmp_path.glob("*.sqlite3*")) == []
