"""A fork's copy of a workspace: what it has, what it leaves out, and whose it is."""

from pathlib import Path

from chat.files.copying import copy


def _made(folder: Path) -> Path:
    (folder / "数据" / "empty").mkdir(parents=True)
    (folder / "数据" / "run.sh").write_text("echo hi")
    (folder / "数据" / "run.sh").chmod(0o755)
    (folder / "secrets").symlink_to("/etc/passwd")
    (folder / "all").symlink_to("数据")
    return folder


def test_files_are_copied_and_links_are_not(tmp_path: Path) -> None:
    old, new = _made(tmp_path / "old"), tmp_path / "new"
    assert copy(old, new, 10, 100)
    assert sorted(str(one.relative_to(new)) for one in new.rglob("*")) == [
        "数据",
        "数据/empty",
        "数据/run.sh",
    ]
    copied, source = (new / "数据" / "run.sh").stat(), (old / "数据" / "run.sh").stat()
    assert copied.st_mode == source.st_mode
    assert abs(copied.st_mtime - source.st_mtime) < 0.001


def test_more_than_is_allowed_is_not_copied(tmp_path: Path) -> None:
    old, new = _made(tmp_path / "old"), tmp_path / "new"
    assert not copy(old, new, 1, 100)
    assert not copy(old, new, 10, 3)
    assert not new.exists()


def test_there_is_nothing_to_copy_where_nothing_was_written(tmp_path: Path) -> None:
    assert copy(tmp_path / "old", tmp_path / "new", 10, 100)
