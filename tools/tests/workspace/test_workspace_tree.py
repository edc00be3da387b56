"""The files of a workspace: no name leads out, whatever a command left there."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from limits.sandbox import MAX_PATH_DEPTH
from tools.errors import NotThere, ToolError
from tools.workspace import tree
from tools.workspace.paths import place, shown
from tools.workspace.removal import remove_workspace


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    secret = tmp_path / "outside" / "secret.txt"
    secret.parent.mkdir()
    secret.write_text("secret")
    return secret


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    made = tmp_path / "workspace"
    made.mkdir()
    return made


def read(workspace: Path, name: str) -> bytes:
    with tree.open_read(workspace, name) as file:
        return file.read()


def test_what_is_written_is_read_and_listed(workspace: Path) -> None:
    tree.write_bytes(workspace, "a/b.txt", [b"one ", b"two"])
    assert read(workspace, "/workspace/a/./b.txt") == b"one two"
    assert [(one.name, one.kind) for one in tree.listing(workspace)] == [("a", "folder")]
    assert [(one.path, one.size) for one in tree.listing(workspace, "a")] == [("a/b.txt", 7)]


def test_a_workspace_that_nobody_wrote_to_is_empty(tmp_path: Path) -> None:
    assert tree.listing(tmp_path / "none") == []
    with pytest.raises(NotThere):
        tree.open_read(tmp_path / "none", "a")


def test_the_first_file_makes_the_workspace(tmp_path: Path) -> None:
    tree.write_bytes(tmp_path / "new", "a", [b"x"])
    assert (tmp_path / "new" / "a").read_bytes() == b"x"


@pytest.mark.parametrize(
    "name",
    ["../outside/secret.txt", "/etc/passwd", "a/../../outside/secret.txt", "/workspace/../x", ".."],
)
def test_a_name_outside_is_refused(name: str, workspace: Path, secret: Path) -> None:
    (workspace / "a").mkdir()
    for use in (tree.open_read, tree.listing, tree.stat_of, tree.make_folder, tree.remove):
        with pytest.raises(ToolError):
            use(workspace, name)
    with pytest.raises(ToolError, match="outside"):
        tree.write_bytes(workspace, name, [b"x"])
    assert secret.read_text() == "secret"


@pytest.mark.parametrize("target", ["../outside", "{outside}", "/", "inner/../../outside"])
def test_a_link_out_is_not_followed(target: str, workspace: Path, secret: Path) -> None:
    (workspace / "inner").mkdir()
    (workspace / "out").symlink_to(target.format(outside=secret.parent))
    for name in ("out/secret.txt", "out/../outside/secret.txt", "out/new.txt"):
        with pytest.raises(ToolError):
            read(workspace, name)
        with pytest.raises(ToolError):
            tree.write_bytes(workspace, name, [b"x"])
    assert [path.name for path in secret.parent.iterdir()] == ["secret.txt"]


def test_links_inside_are_followed_also_those_of_the_shell(workspace: Path) -> None:
    tree.write_bytes(workspace, "a/b.txt", [b"x"])
    (workspace / "near").symlink_to("a/b.txt")
    (workspace / "a" / "up").symlink_to("../near")
    (workspace / "shell").symlink_to("/workspace/a")
    assert read(workspace, "a/up") == read(workspace, "shell/b.txt") == b"x"
    assert tree.stat_of(workspace, "near").path == "a/b.txt"


def test_writing_to_a_link_writes_what_it_leads_to(workspace: Path) -> None:
    (workspace / "link").symlink_to("there/file")
    assert tree.write_bytes(workspace, "link", [b"x"]).path == "there/file"
    assert (workspace / "link").is_symlink()


def test_links_in_a_circle_end(workspace: Path) -> None:
    (workspace / "a").symlink_to("b")
    (workspace / "b").symlink_to("a")
    with pytest.raises(ToolError, match="too many links"):
        tree.open_read(workspace, "a")


def test_a_folder_that_becomes_a_link_on_the_way_leads_nowhere(
    workspace: Path, secret: Path
) -> None:
    (workspace / "a").mkdir()

    def chunks() -> Iterator[bytes]:
        (workspace / "a").rename(workspace / "was")
        (workspace / "a").symlink_to(secret.parent)
        yield b"mine"

    tree.write_bytes(workspace, "a/secret.txt", chunks())
    assert secret.read_text() == "secret"
    assert (workspace / "was" / "secret.txt").read_text() == "mine"


def test_a_place_stays_the_one_that_was_opened(workspace: Path, secret: Path) -> None:
    (workspace / "a").mkdir()
    with place(workspace, "a/secret.txt") as found:
        (workspace / "a").rename(workspace / "was")
        (workspace / "a").symlink_to(secret.parent)
        assert found.stat() is None


def test_a_pipe_is_listed_and_never_waited_for(workspace: Path) -> None:
    os.mkfifo(workspace / "pipe")
    assert tree.listing(workspace)[0].kind == "other"
    with pytest.raises(ToolError, match="pipe is no file"):
        tree.open_read(workspace, "pipe")
    with pytest.raises(ToolError, match="pipe is no file"):
        tree.write_bytes(workspace, "pipe", [b"x"])


def test_writing_does_not_reach_through_a_hard_link(workspace: Path, secret: Path) -> None:
    (workspace / "hard").hardlink_to(secret)
    tree.write_bytes(workspace, "hard", [b"mine"])
    assert secret.read_text() == "secret"


def test_a_failed_write_leaves_the_file_and_nothing_else(workspace: Path) -> None:
    tree.write_bytes(workspace, "a", [b"before"])
    with pytest.raises(ToolError, match="at most 10 bytes"):
        tree.write_bytes(workspace, "a", [b"x" * 8, b"x" * 8], most=10)
    assert [path.read_bytes() for path in workspace.iterdir()] == [b"before"]


def test_modes_stay_but_never_become_special(workspace: Path) -> None:
    (workspace / "run.sh").write_text("x")
    (workspace / "run.sh").chmod(0o4755)
    tree.write_bytes(workspace, "run.sh", [b"y"])
    assert (workspace / "run.sh").stat().st_mode & 0o7777 == 0o755


@pytest.mark.parametrize(
    "name", ["说明 文件.txt", "with\nnewline", "-rf", " ", "a" * 255, "\udcff"]
)
def test_a_name_may_be_anything_that_the_system_takes(name: str, workspace: Path) -> None:
    assert tree.write_bytes(workspace, f"x/{name}", [b"x"]).name == name
    assert read(workspace, f"x/{name}") == b"x"
    assert "\n" not in shown(name)
    shown(name).encode()
    tree.remove(workspace, f"x/{name}")
    assert tree.listing(workspace, "x") == []


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("a" * 256, "255 bytes"),
        ("文" * 2_000, "4,096 bytes"),
        ("a\0", "NUL"),
        ("\ud800", "Unicode"),
    ],
)
def test_a_name_that_is_none_is_refused(name: str, says: str, workspace: Path) -> None:
    with pytest.raises(ToolError, match=says):
        tree.write_bytes(workspace, name, [b"x"])
    with pytest.raises(ToolError, match=says):
        tree.open_read(workspace, name)


def test_too_deep_a_name_is_refused(workspace: Path) -> None:
    with pytest.raises(ToolError, match="at most 100 folders"):
        tree.write_bytes(workspace, "d/" * (MAX_PATH_DEPTH + 1) + "a", [b"x"])


@pytest.mark.parametrize("name", ["a/b", "a"])
def test_a_file_is_no_folder_and_a_folder_no_file(name: str, workspace: Path) -> None:
    (workspace / "a").write_text("x") if name == "a/b" else (workspace / "a").mkdir()
    with pytest.raises(ToolError, match="folder"):
        tree.open_read(workspace, name)
    with pytest.raises(ToolError, match="folder"):
        tree.write_bytes(workspace, name, [b"x"])


def test_a_listing_is_as_long_as_asked_folders_first(workspace: Path) -> None:
    for name in "cab":
        (workspace / name).touch()
    (workspace / "z").mkdir()
    assert [one.name for one in tree.listing(workspace, most=3)] == ["z", "a", "b"]


def test_removing_a_link_leaves_what_it_leads_to(workspace: Path, secret: Path) -> None:
    (workspace / "out").symlink_to(secret.parent)
    tree.remove(workspace, "out")
    assert secret.exists()
    assert tree.listing(workspace) == []


def test_the_workspace_itself_is_not_removed(workspace: Path) -> None:
    for name in ("", ".", "/workspace", "a/.."):
        with pytest.raises(ToolError):
            tree.remove(workspace, name)
    assert workspace.exists()


def test_a_folder_is_removed_with_whatever_is_in_it(workspace: Path, secret: Path) -> None:
    closed = workspace / "a" / "closed"
    closed.mkdir(parents=True)
    (closed / "x").touch()
    (closed / "out").symlink_to(secret.parent)
    os.mkfifo(closed / "pipe")
    closed.chmod(0)
    tree.remove(workspace, "a")
    assert tree.listing(workspace) == []
    assert secret.exists()


def test_a_workspace_of_any_depth_is_removed(workspace: Path) -> None:
    folder = os.open(workspace, os.O_RDONLY)
    for _ in range(3_000):
        os.mkdir("deep", dir_fd=folder)
        inner = os.open("deep", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    remove_workspace(workspace)
    assert not workspace.exists()
    remove_workspace(workspace)
