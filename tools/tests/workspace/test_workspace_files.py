"""read_file, write_file, edit_file and list_files, as a model uses them."""

import os
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from limits.sandbox import MAX_READ_FILE
from tools.errors import ToolError
from tools.values.call import CallContext
from tools.workspace.files import edit_file, list_files, read_file, write_file
from tools.workspace.sandbox import Folder


@pytest.fixture
def context(tmp_path: Path) -> CallContext:
    return CallContext(workspace=tmp_path / "workspace")


def test_a_file_is_written_read_and_edited(context: CallContext) -> None:
    assert write_file("a/说明.txt", "一\n二\n", context) == "Wrote 4 characters to a/说明.txt."
    assert edit_file("a/说明.txt", "二", "三", context) == "Edited a/说明.txt."
    assert read_file("/workspace/a/说明.txt", context) == "     1\t一\n     2\t三"


def test_reading_goes_on_where_it_was_told_to(context: CallContext) -> None:
    write_file("a", "\n".join("abc"), context)
    assert read_file("a", context, limit=1) == "     1\ta\n(2 more lines; offset 1 reads on)"
    assert read_file("a", context, offset=2) == "     3\tc"
    with pytest.raises(ToolError, match="a has 3 lines; there is none after 3"):
        read_file("a", context, offset=3)


def test_lines_are_read_whole_as_far_as_there_is_room(context: CallContext) -> None:
    write_file("a", "\n".join(["x" * 30_000] * 3), context)
    text = read_file("a", context)
    assert text.endswith("x\n(2 more lines; offset 1 reads on)")
    write_file("b", "y" * 90_000, context)
    assert len(read_file("b", context)) == MAX_READ_FILE
    assert read_file("b", context).endswith("(the line is cut: it has 90,000 characters)")


def test_an_edit_needs_its_passage_exactly_once(context: CallContext) -> None:
    write_file("a", "x x", context)
    for passage, says in (("x", "2 times"), ("y", "not there"), ("", "empty")):
        with pytest.raises(ToolError, match=f"exactly once; it is {says}"):
            edit_file("a", passage, "z", context)
    assert read_file("a", context).endswith("x x")


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"GIF89a\0\0", "8 bytes of binary data"),
        (b"caf\xe9", "no text in UTF-8"),
    ],
)
def test_what_is_no_text_is_said_to_be_none(body: bytes, says: str, context: CallContext) -> None:
    context.workspace.mkdir()
    (context.workspace / "a").write_bytes(body)
    with pytest.raises(ToolError, match=says):
        read_file("a", context)


def test_a_huge_file_is_not_read(context: CallContext) -> None:
    context.workspace.mkdir()
    with (context.workspace / "a").open("wb") as file:
        file.truncate(10**12)
    with pytest.raises(ToolError, match="1,000,000,000,000 bytes, more than 5,000,000"):
        read_file("a", context)


def test_characters_that_are_none_are_refused(context: CallContext) -> None:
    with pytest.raises(ToolError, match="no valid Unicode"):
        write_file("a", "\ud800", context)


def test_a_full_workspace_takes_nothing_more(context: CallContext, settings: Settings) -> None:
    write_file("a", "x" * 20_000, context)
    settings.SANDBOX_LIMITS = {"workspace_bytes": 20_000}
    with pytest.raises(ToolError, match="the workspace is full: it has"):
        write_file("b", "x" * 10_000, context)
    write_file("a", "less", context)
    write_file("b", "x" * 10_000, context)


def test_too_many_files_are_refused(context: CallContext, settings: Settings) -> None:
    settings.SANDBOX_LIMITS = {"workspace_files": 1}
    write_file("a", "x", context)
    write_file("a", "y", context)
    with pytest.raises(ToolError, match="has 1 files, which is the most"):
        write_file("b", "x", context)


def test_a_listing_names_everything_on_one_line_each(context: CallContext) -> None:
    write_file("b/two\nlines", "x", context)
    write_file("a", "xy", context)
    (context.workspace / "empty").mkdir()
    (context.workspace / "link").symlink_to("/etc/passwd")
    os.mkfifo(context.workspace / "pipe")
    assert list_files(context).splitlines() == [
        "a (2 bytes)",
        "link -> /etc/passwd",
        "pipe (no file)",
        "b/two\\nlines (1 bytes)",
        "empty/ (empty)",
    ]


def test_a_long_listing_ends(context: CallContext) -> None:
    context.workspace.mkdir()
    for number in range(600):
        (context.workspace / f"f{number}").mkdir()
    assert list_files(context).splitlines()[500:] == ["(more than 500 files)"]


def test_a_tree_deeper_than_names_go_is_listed_as_far_as_they_go(context: CallContext) -> None:
    folder = context.workspace
    for _ in range(120):
        folder = folder / "d"
    folder.mkdir(parents=True)
    assert list_files(context).endswith("/ (a path has at most 100 folders)")


def test_nothing_at_all_is_said_to_be_nothing(context: CallContext) -> None:
    assert list_files(context) == "(no files)"
    with pytest.raises(ToolError, match="there is no b"):
        list_files(context, "b")


def test_a_lent_folder_is_read_and_never_left(tmp_path: Path) -> None:
    skill = tmp_path / "skill"
    (skill / "references").mkdir(parents=True)
    (skill / "references" / "a.md").write_text("how")
    (skill / "out").symlink_to(tmp_path)
    context = CallContext(tmp_path / "workspace", folders=[Folder(skill, "/skills/one")])
    assert read_file("/skills/one/references/a.md", context) == "     1\thow"
    assert "/skills/one/references/a.md (3 bytes)" in list_files(context, "/skills/one")
    for path in (
        "/skills/one/out/x",
        "/skills/one/../x",
        "/skills/two/a",
        "/skills/one/references",
    ):
        with pytest.raises(ToolError):
            read_file(f"/skills/{path}", context)
    with pytest.raises(ToolError, match="outside of the workspace"):
        write_file("/skills/one/new", "x", context)
