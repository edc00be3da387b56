"""JSON as a tree."""

import json
from html import unescape
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limits.trace_pages import MAX_TREE_NODES
from tracing.formatting.json_tree import tree

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('ab"\\ 数\n', max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=20,
)


@pytest.mark.long
@given(st.lists(VALUES, max_size=4) | st.dictionaries(st.text("ab数", max_size=3), VALUES))
def test_a_tree_has_every_token(value: Any) -> None:
    html = tree(json.dumps(value, ensure_ascii=False)) or ""
    assert html.count("<details") == html.count("</details>")
    assert html.count('class="json-row"') == nodes(value)


def test_tokens_are_as_they_were_written() -> None:
    html = unescape(tree('{"a": 1.0, "a": 1e3, "b": "\\u6570"}') or "")
    for token in ("1.0", "1e3", '"\\u6570"'):
        assert token in html
    assert html.count('json-key">"a"') == 2


def test_a_character_that_misleads_is_escaped() -> None:
    assert "\\u202e" in (tree('{"a": "x\u202ey"}') or "")


@pytest.mark.parametrize(
    "text", ["", "1", "[1", "[1,]x", '{"a" 1}', "{1: 2}", "[1 2]", "[" * 200 + "]" * 200, "]"]
)
def test_what_is_no_json_or_too_deep_is_no_tree(text: str) -> None:
    assert tree(text) is None


def test_what_has_too_many_nodes_is_no_tree() -> None:
    assert tree(json.dumps([0] * (MAX_TREE_NODES + 1))) is None


def test_a_text_can_do_nothing() -> None:
    assert "<script>" not in (tree('{"<script>": "<script>"}') or "")


def nodes(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value
    return 1 + sum(map(nodes, inner)) if isinstance(value, dict | list) else 1
