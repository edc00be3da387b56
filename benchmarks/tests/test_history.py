import subprocess
from pathlib import Path

from benchmarks import history
from benchmarks.history import Entry
from benchmarks.machine import Machine

HERE = Machine(2, "a processor", "Linux 6", "3.11", 0.1)


def entry(revision: str, **figures: float) -> Entry:
    return Entry("2026-11-23T03:00+00:00", revision, HERE, "whole", figures)


def test_runs_are_kept_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    assert history.read(file) == []
    for one in (entry("a", x=1.0), entry("b", x=2.0)):
        history.append(one, file)
    assert history.read(file) == [entry("a", x=1.0), entry("b", x=2.0)]


def test_the_table_has_a_column_a_run_and_the_last_change() -> None:
    text = history.as_markdown([entry("aa", x=2.0, y=1.0), entry("bb", x=3.0)], ["x", "z*"])
    assert "| figure | aa (2026-11-23) | bb (2026-11-23) | change |" in text
    assert "| `x` | 2 | 3 | × 1.50 |" in text
    assert "`y`" not in text


def test_a_revision_says_whether_files_differ_from_it(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *identity, "-C", tmp_path, *arguments], check=True)

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "begin")
    clean = history.revision(tmp_path)
    (tmp_path / "file").write_text("changed")
    assert len(clean) == 8
    assert history.revision(tmp_path) == f"{clean}+"


def test_an_entry_is_of_the_code_that_was_measured() -> None:
    made = history.entry_of({"x": 1.23456}, HERE, "quick")
    assert (made.figures, made.machine, made.scale) == ({"x": 1.235}, HERE, "quick")
