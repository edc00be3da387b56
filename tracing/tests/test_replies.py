import json

from hypothesis import given
from hypothesis import strategies as st

from tracing.replies import read_reply

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "delta", "message", "tool_calls", "function", "index", "name"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def events(*deltas: dict[str, object]) -> bytes:
    lines = [json.dumps({"choices": [{"index": 0, "delta": delta}]}) for delta in deltas]
    return "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]).encode()


def test_the_text_of_a_stream_is_joined() -> None:
    reply = read_reply(events({"role": "assistant"}, {"content": "<tool_"}, {"content": "call>"}))
    assert (reply.content, reply.events) == ("<tool_call>", 3)


def test_reasoning_is_joined_apart() -> None:
    reply = read_reply(events({"reasoning_content": "Let me "}, {"reasoning": "see"}))
    assert (reply.reasoning, reply.content) == ("Let me see", "")


def test_the_pieces_of_interleaved_calls_find_their_call() -> None:
    reply = read_reply(
        events(
            {"tool_calls": [{"index": 0, "function": {"name": "a", "arguments": '{"x"'}}]},
            {"tool_calls": [{"index": 1, "function": {"name": "b", "arguments": "{}"}}]},
            {"tool_calls": [{"index": 0, "function": {"arguments": ":1}"}}]},
        )
    )
    assert list(reply.calls.values()) == [
        {"name": "a", "arguments": '{"x":1}'},
        {"name": "b", "arguments": "{}"},
    ]


def test_an_answer_that_is_no_stream_is_read_as_well() -> None:
    body = json.dumps({"choices": [{"message": {"content": "Three."}}]}).encode()
    assert read_reply(body).content == "Three."


def test_an_error_says_nothing() -> None:
    assert not read_reply(b'{"error":{"message":"overloaded"}}').says_something


@given(st.binary() | json_values.map(lambda value: b"data: " + json.dumps(value).encode()))
def test_no_bytes_are_too_strange(body: bytes) -> None:
    read_reply(body)


@given(json_values)
def test_no_choice_is_too_strange(value: object) -> None:
    read_reply(json.dumps({"choices": [value]}).encode())
    read_reply(json.dumps({"choices": [{"delta": value}]}).encode())
