from pathlib import Path

import pytest

from tools.errors import ToolError
from tools.local.read_result import read_result
from tools.values.call import CallContext, ToolResult, _capped

TEXT = "".join(f"{number:05d} " for number in range(20_000))


def context(texts: dict[str, str]) -> CallContext:
    return CallContext(Path(), earlier=texts.get)


def test_the_note_in_a_cut_result_leads_to_the_first_character_that_is_missing() -> None:
    shown = _capped(TEXT, 1000, "0a1b2c3d")
    head, _, note = shown.partition("\n\n[… ")
    assert f'read_result with call="0a1b2c3d" and offset={len(head)} reads on' in note
    read = read_result("0a1b2c3d", context({"0a1b2c3d": TEXT}), offset=len(head), limit=10)
    assert read.startswith(TEXT[len(head) : len(head) + 10] + "\n\n[characters ")


def test_all_of_a_result_can_be_read_in_parts() -> None:
    parts, offset = "", 0
    while offset < len(TEXT):
        said = read_result("x", context({"x": TEXT}), offset=offset, limit=20_000)
        part = said.rpartition("\n\n[")[0]
        parts, offset = parts + part, offset + len(part)
    assert parts == TEXT


@pytest.mark.parametrize(("call", "offset"), [("other", 0), ("x", 120_000), ("x", -1)])
def test_what_is_not_there_is_refused_in_words(call: str, offset: int) -> None:
    with pytest.raises(ToolError):
        read_result(call, context({"x": TEXT}), offset=offset)


def test_only_what_is_longer_than_the_cap_is_cut() -> None:
    assert not ToolResult.of_text("short").is_cut
    assert ToolResult.of_text("a" * 60_000).is_cut
