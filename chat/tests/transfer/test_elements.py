import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.transfer import elements, json_scanner
from chat.transfer.elements import ATTACHMENTS, CONVERSATIONS
from chat.transfer.errors import BrokenConversation, BrokenFile
from limits.transfer import MAX_IMPORTED_DEPTH

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def found(text: bytes) -> list[Any]:
    file = io.BytesIO(text)
    every = elements.elements(file)
    return [elements.load(file, one) for one in list(every) if one.kind == CONVERSATIONS]


@given(
    st.lists(st.dictionaries(st.text(), JSON, max_size=4), max_size=4),
    st.integers(1, 40),
    st.booleans(),
)
def test_the_elements_of_a_list_are_found_wherever_the_windows_end(
    values: list[Any], window: int, escaped: bool
) -> None:
    text = json.dumps(values, ensure_ascii=escaped).encode(errors="replace")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_scanner, "_WINDOW", window)
        assert found(text) == json.loads(text)


def test_lists_of_several_files_are_read_behind_each_other() -> None:
    assert found(b'[{"a":1}]\n[{"a":2},{"a":3}]\n{"a":4}') == [{"a": n} for n in (1, 2, 3, 4)]


def test_a_list_of_messages_is_one_conversation() -> None:
    messages = [{"role": "user", "content": "]"}, {"role": "assistant", "content": '"'}]
    assert found(json.dumps(messages).encode()) == [messages]


@pytest.mark.parametrize(
    "messages",
    [
        [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}],
        [{"role": "user", "content": "x" * 2_000_000}],
    ],
)
def test_an_object_with_messages_is_one_conversation(messages: list[Any]) -> None:
    lines = [{"system": "Be kind.", "conversations": messages, "id": str(n)} for n in range(2)]
    assert found("\n".join(map(json.dumps, lines)).encode()) == lines


def test_attachments_alone_are_no_conversation_but_beside_messages_they_are_of_one() -> None:
    assert found(b'{"attachments": [{"id": "1"}]}') == []
    value = {"messages": [{"role": "user", "content": "Hi"}], "attachments": []}
    assert found(json.dumps(value).encode()) == [value]


def test_attachments_are_found_beside_conversations() -> None:
    file = io.BytesIO(b' {"x": {}, "attachments": [{"id": "1"}], "conversations": [{"id": "2"}]} ')
    kinds = [one.kind for one in elements.elements(file)]
    assert kinds == [ATTACHMENTS, CONVERSATIONS]


def test_lone_surrogates_stay_as_they_are() -> None:
    assert found(b'[{"text": "\\ud83d and \\udc00"}]') == [{"text": "\ud83d and \udc00"}]


@pytest.mark.parametrize(
    "text",
    [
        b"[{",
        b'[{"a": "',
        b'[{"a": "\\',
        b'[{"a": 1}',
        b'[{"a": 1},]',
        b'[{"a": 1} {"a": 2}]',
        b"hello",
        b"12",
        b'{"a" 1}',
        b"\x89PNG",
    ],
)
def test_what_is_no_json_is_refused_with_a_sentence(text: bytes) -> None:
    with pytest.raises(BrokenFile) as refusal:
        found(text)
    assert str(refusal.value).endswith(".")


def test_deep_nesting_is_refused_before_it_is_parsed() -> None:
    deep = MAX_IMPORTED_DEPTH + 1
    with pytest.raises(BrokenFile, match="nested deeper"):
        found(b"[" + b'{"a":' * deep + b"1" + b"}" * deep + b"]")


def test_a_conversation_with_too_many_values_is_broken() -> None:
    with pytest.raises(BrokenConversation, match="values"):
        found(b'[{"a": [' + b"1," * 4_000_001 + b"1]}]")


def test_numbers_that_are_no_json_are_broken() -> None:
    with pytest.raises(BrokenConversation, match="no JSON"):
        found(b'[{"a": NaN}]')
