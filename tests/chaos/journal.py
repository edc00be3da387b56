"""The ledger of a run: JSON lines, each with `at` (seconds of CLOCK_MONOTONIC) and `kind`.

| kind | fields |
|---|---|
| `plan` | `seed`, `database`, `turns`, `bound` |
| `fault` | `name`, `began`, `ended`, `error` ("" or why it could not be done) |
| `sent`, `accepted` | `key`, `tab`; `accepted` with `turn`, `conversation`, `text`, `lines` |
| `gap` | `turn`, `began`, `ended`: seconds in which a turn that was not in line was silent |
| `frame` | `rule`, `turn`, `tab`, `conversation`, `frame`: one against docs/protocol.md |
| `shown` | `turn`, `tab`, `state`, `known`, `rounds`: what a tab showed in the end |
| `client` | `tab`, `frames`, `reopened`: how many frames came, how often it asked anew |
| `unfinished` | `key`, `turn`, `doing`: what a person waited for in vain |
| `turn`, `span`, `message`, `trace` | a row of the database |
| `effects` | `server`, `lines`: what its tool has written |
| `payloads` | `count`, `corrupt`, `requests`, `received`: see `payloads` |
| `process` | `pid`, `command`: one that nobody owns |
"""

import json
import threading
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

Line = dict[str, Any]


class Journal:
    """Writes the ledger; from any thread."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._lock = threading.Lock()
        file.write_text("")

    def note(self, kind: str, **fields: Any) -> None:
        line = json.dumps({"at": round(time.monotonic(), 3), "kind": kind, **fields})
        with self._lock, self.file.open("a") as stream:
            stream.write(line + "\n")


class Lines:
    """A ledger that was read: its lines by their kind, in order."""

    def __init__(self, lines: list[Line]) -> None:
        self._by_kind: defaultdict[str, list[Line]] = defaultdict(list)
        for line in lines:
            self._by_kind[line["kind"]].append(line)

    @classmethod
    def of(cls, file: Path) -> "Lines":
        return cls([json.loads(line) for line in file.read_text().splitlines()])

    def __getitem__(self, kind: str) -> list[Line]:
        return self._by_kind[kind]

    def plan(self) -> Line:
        return self["plan"][0]
