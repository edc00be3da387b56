import json
from itertools import chain, zip_longest

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tracing.store.elements import Cut, cut

LONG = "x" * 80
MESSAGES = [{"role": "user", "content": f"{number} 张表 {LONG}"} for number in range(3)]

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
requests = st.fixed_dictionaries(
    {},
    optional={
        "messages": st.lists(json_values),
        "tools": st.lists(json_values),
        "system": json_values,
        "input": json_values,
        "model": st.text(min_size=60),
        "parameters": json_values,
    },
)
spacings = st.sampled_from([(",", ":"), (", ", ": "), (" ,\n\t", "\r\n: ")])


def joined(parts: Cut) -> bytes:
    contents = [element.content for element in parts.elements]
    return b"".join(chain.from_iterable(zip_longest(parts.gaps, contents, fillvalue=b"")))


@given(st.binary(max_size=2000))
@example(b"")
@example(b"\xef\xbb\xbf" + json.dumps({"messages": MESSAGES}).encode())
@example(b'{"messages":[{"content":"\xff' + LONG.encode() + b'"}]}')
@example(b'{"messages":' + b"[" * 5000)
@example(b'{"messages":[' + b"9" * 5000 + b"]}")
@example(b'{"messages":[{"a":1},],"b":"' + LONG.encode() + b'"}')
def test_any_bytes_are_the_same_after_cutting_and_joining(body: bytes) -> None:
    assert joined(cut(body)) == body


@pytest.mark.long
@given(requests, spacings, st.booleans())
def test_any_request_is_the_same_after_cutting_and_joining(
    request: object, spacing: tuple[str, str], escaped: bool
) -> None:
    body = json.dumps(request, separators=spacing, ensure_ascii=escaped)
    exact = body.encode(errors="surrogatepass")
    assert joined(cut(exact)) == exact


@given(st.lists(st.sampled_from([*'{}[]",:\\ \n1ae', '"messages"', "null"]), min_size=30))
def test_what_only_looks_like_json_is_the_same_after_cutting_and_joining(tokens: list[str]) -> None:
    body = ('{"messages":[' + "".join(tokens) + "]}").encode()
    assert joined(cut(body)) == body


@pytest.mark.parametrize("section", ["messages", "tools", "system", "input"])
@pytest.mark.parametrize("separators", [(",", ":"), (" , ", " :\n")])
def test_lists_of_a_request_are_cut_at_their_elements(
    section: str, separators: tuple[str, str]
) -> None:
    body = json.dumps(
        {"model": "m", section: MESSAGES, "stream": True},
        separators=separators,
        ensure_ascii=False,
    )
    elements = cut(body.encode()).elements
    assert [json.loads(element.content) for element in elements] == MESSAGES
    assert {element.section for element in elements} == {section}


def test_a_key_that_comes_twice_is_cut_twice() -> None:
    once = json.dumps({"messages": MESSAGES}).encode()
    twice = once[:-1] + b"," + once[1:]
    assert len(cut(twice).elements) == 2 * len(MESSAGES)


def test_lists_inside_other_values_are_left_whole() -> None:
    body = json.dumps({"parameters": {"messages": MESSAGES}}).encode()
    assert [element.section for element in cut(body).elements] == [""]


def test_a_list_of_numbers_is_left_whole() -> None:
    body = json.dumps({"input": list(range(1000))}).encode()
    assert len(cut(body).elements) == 1


@pytest.mark.parametrize("length", [64, 65])
def test_a_text_of_a_list_is_an_element_beyond_64_bytes(length: int) -> None:
    body = json.dumps({"input": ["x" * (length - 2)]}).encode()
    sections = [element.section for element in cut(body).elements]
    assert ("input" in sections) == (length > 64)


def test_bytes_that_are_no_json_are_one_piece() -> None:
    body = b'data: {"choices":[]}\n\n' * 10
    assert [element.content for element in cut(body).elements] == [body]


def test_short_bytes_are_no_piece() -> None:
    assert cut(b"42") == Cut([b"42"], [])
