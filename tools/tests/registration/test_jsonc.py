"""JSON as people paste it: what is read, and where a fault is said to be."""

from typing import Any

import pytest

from tools.servers.jsonc import NotJson, loads

README = """Add this to `mcp.json`:

```jsonc
{
  "a": 1, // it is the first
}
```

Then restart."""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, // one\n "b": /* two */ 2}', {"a": 1, "b": 2}),
        ('{"a": [1, 2,], }', {"a": [1, 2]}),
        ('{"a": [1, /* last */ ]}', {"a": [1]}),
        ('{"url": "http://x/*y*/", "b": ",}"}', {"url": "http://x/*y*/", "b": ",}"}),
        ('"a": {"b": 1}', {"a": {"b": 1}}),
        ('"a": {"b": 1},\n"c": 2,', {"a": {"b": 1}, "c": 2}),
        (', "a": 1', {"a": 1}),
        ('// mine\n"a": 1', {"a": 1}),
        (README, {"a": 1}),
        ('~~~\n"a": 1\n~~~', {"a": 1}),
        ("```json\n[1]", [1]),
        ("```sh\nnpm install\n```\n```json\n[1]\n```", [1]),
        ('\ufeff{\u00a0"a\u00a0b":\u00a01}', {"a\u00a0b": 1}),
    ],
)
def test_what_people_paste_is_read(text: str, value: Any) -> None:
    assert loads(text) == value


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{\n  "a": 1 // x\n  "b": 2\n}', "Line 3, column 3: a comma or a closing"),
        ('"a": 1\n"b": 2', "Line 2, column 1: a comma or a closing"),
        ('  "a" 1', "Line 1, column 7"),
        ('{"a": {"b": 1}', "Line 1, column 15: it ends before every brace"),
        ('"a": {"b": 1', "Line 1, column 13: it ends before every brace"),
        ("```\n{'a': 1}\n```", "Line 2, column 2: texts and names need double quotes"),
        ("{a: 1}", "Line 1, column 2: texts and names need double quotes"),
        ("{\u201ca\u201d: 1}", "Line 1, column 2: this is a typographic quote"),
        ('{"a": "b\n"}', "Line 1, column 9: a text is not closed"),
        ('{"a": "C:\\Users"}', "a backslash doubled"),
        ('{"a": 1}}', "Line 1, column 9: the JSON is over"),
        ('{"a": 1 /* x', "Line 1, column 9: this comment does not end"),
        ('{\n# x\n"a": 1}', "Line 2, column 1: JSON has no comments with #"),
        ('{"a": 1,\n "a": 2}', "Line 2, column 2: 'a' is there twice"),
        ("```\n[1]\n```\n```\n[2]\n```", "2 code blocks"),
        ("/* nothing */", "There is nothing to read"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_fault_has_its_line_and_column(text: str, sentence: str) -> None:
    with pytest.raises(NotJson) as fault:
        loads(text)
    assert sentence in str(fault.value)


def test_a_fault_does_not_repeat_what_may_be_secret() -> None:
    with pytest.raises(NotJson) as fault:
        loads('{"env": {"KEY": s3cret-value}}')
    assert "s3cret" not in str(fault.value)


def test_a_long_text_is_read() -> None:
    assert len(loads("[" + '"//", ' * 100_000 + "]")) == 100_000


@pytest.mark.parametrize("part", [", ", "/* ", "//", '"\\', "```\n", "\n", "{"])
def test_no_text_takes_minutes(part: str) -> None:
    with pytest.raises(NotJson):
        loads(part * 200_000)
