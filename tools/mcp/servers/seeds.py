"""What a new database can start with."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

# The order of creation is the order in which tables are listed: `students` brings
# `sqlite_sequence` with it, and `log` has no AUTOINCREMENT, so that one sequence is kept.
WALKTHROUGH = """
CREATE TABLE students (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, age INTEGER NOT NULL
);
CREATE TABLE log (
    id INTEGER PRIMARY KEY, action TEXT, timestamp DATETIME DEFAULT CURRENT_TIMESTAMP
);
INSERT INTO students (name, age) VALUES ('李雷', 7), ('韩梅梅', 6);
INSERT INTO log (action) VALUES ('创建了数据库');
"""
SEEDS = {"walkthrough": WALKTHROUGH}


def plant(path: Path, seed: str) -> None:
    """Make the database at `path`, whole or not at all; one that exists stays as it is."""
    if path.exists():
        return
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    with closing(sqlite3.connect(draft)) as database:
        database.executescript(SEEDS[seed])
    try:
        os.link(draft, path)
    except FileExistsError:
        pass  # another process was faster; its database is as good
    finally:
        draft.unlink()
