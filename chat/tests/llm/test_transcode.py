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

from chat.llm.dialects import DIALECTS, dialect
from chat.llm.dialects.contract import Dialect
from chat.llm.transcode import FROM, FROM_STREAM, TO, Direction, transcode
from chat.tests.llm.conversations import WEATHER, assistant, block, call, user

MANAGE = Path(__file__).parents[3] / "manage.py"
DEEP = "[" * 200_000
every_dialect = pytest.mark.parametrize("spoken", DIALECTS.values(), ids=DIALECTS)
every_direction = pytest.mark.parametrize("direction", [TO, FROM, FROM_STREAM])


def run(*options: str, given: bytes, home: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, MANAGE, "transcode", *options],
        input=given,
        capture_output=True,
        timeout=30,
        check=True,
        env=os.environ | {"ROUNDTRIP_HOME": str(home), "PYTHONUTF8": "0", "LC_ALL": "C"},
    )


def output(spoken: str, direction: Direction, value: Any) -> Any:
    return json.loads(transcode(dialect(spoken), direction, json.dumps(value).encode())[0])


def test_to_native_writes_messages_and_tools() -> None:
    bare = WEATHER["function"]

    assert output("native", TO, {"messages": [user("?")], "tools": [bare]}) == {
        "messages": [user("?")],
        "tools": [WEATHER],
    }


def test_to_nous_writes_messages_alone() -> None:
    assert list(output("nous", TO, {"messages": [user("?")], "tools": [WEATHER]})) == ["messages"]


def test_what_cannot_be_expressed_is_a_note() -> None:
    conversation = {"messages": [], "tools": [WEATHER], "tool_choice": "required"}

    _, notes = transcode(dialect("nous"), TO, json.dumps(conversation).encode())

    assert notes == ["The model cannot be made to call a tool: it decides by itself."]


def test_from_native_writes_the_canonical_message() -> None:
    message = assistant("", call("f"))

    assert output("native", FROM, {**message, "content": None, "audio": None}) == message


def test_from_nous_adds_an_error_where_something_was_malformed() -> None:
    read = output("nous", FROM, {"role": "assistant", "content": f"{block('f')}<tool_call>x"})

    assert (len(read["tool_calls"]), read["content"]) == (1, "x")
    assert read["error"]


def test_a_stream_adds_what_each_delta_made_visible_and_what_the_end_did() -> None:
    read = output("nous", FROM_STREAM, ["Hi <tool", "_calls> ", "there <"])

    assert read == {
        "role": "assistant",
        "content": "Hi <tool_calls> there <",
        "visible": ["Hi", " <tool_calls>", " there", " <"],
    }


def test_a_native_stream_takes_deltas_as_objects() -> None:
    piece = {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}]}

    read = output("native", FROM_STREAM, [{"content": "Hi"}, piece])

    assert read == {**assistant("Hi", call("f")), "visible": ["Hi", "", ""]}


@every_dialect
@every_direction
@pytest.mark.parametrize(
    "text", [b"", b"{", b"\xff", b"42", b"null", b"[[]]", b"NaN", b"\x00", DEEP.encode()],
    ids=lambda text: repr(text[:9]),
)  # fmt: skip
def test_a_bad_input_is_an_error_beside_an_empty_output(
    spoken: Dialect, direction: Direction, text: bytes
) -> None:
    read = json.loads(transcode(spoken, direction, text)[0])

    assert read.pop("error")
    assert read == direction.instead


keys = st.sampled_from(
    ["messages", "role", "content", "tool_calls", "function", "name", "arguments", "tools"]
)
almost_canonical = st.recursive(
    st.none() | st.integers() | st.text() | st.sampled_from(["user", "assistant", "tool"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
)


@every_dialect
@every_direction
@given(value=almost_canonical)
def test_any_json_gives_one_line_of_json(spoken: Dialect, direction: Direction, value: Any) -> None:
    line, _ = transcode(spoken, direction, json.dumps(value).encode())

    assert "\n" not in line
    assert json.loads(line.encode())


def test_lone_surrogates_pass_to_a_request_and_are_replaced_in_an_answer() -> None:
    assert output("native", TO, {"messages": [user("\ud800")]})["messages"] == [user("\ud800")]
    assert output("native", FROM, assistant("\ud800"))["content"] == "\ufffd"


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


def test_the_command_reads_all_of_its_input_as_one(tmp_path: Path) -> None:
    pretty = json.dumps(["<think>hm</think>", "Hi"], indent=1).encode()

    done = run("--from", "nous", "--stream", given=pretty, home=tmp_path)

    assert json.loads(done.stdout) == {
        "role": "assistant",
        "content": "Hi",
        "reasoning_content": "hm",
        "visible": ["", "Hi", ""],
    }


def test_the_command_says_on_stderr_what_cannot_be_expressed(tmp_path: Path) -> None:
    conversation = {"messages": [], "tools": [WEATHER], "tool_choice": "required"}

    done = run("--to", "nous", given=json.dumps(conversation).encode(), home=tmp_path)

    assert b"it decides by itself" in done.stderr


def test_the_command_makes_no_database(tmp_path: Path) -> None:
    run("--to", "native", given=b"{}", home=tmp_path)

    assert list(tmp_path.glob("*.sqlite3*")) == []
