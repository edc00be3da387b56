"""Deleted text is in no byte of the home: of a conversation, a temporary one, and an account.

A text is planted in all that a person writes, uploads, reads and is answered, found in the files of
a running product, deleted, and looked for in every file again, in every form that it may have.
"""

import json
import re
import secrets
import sqlite3
import string
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from benchmarks.stub import stub_process
from tests.faults.browser import Browser
from tests.supervision.conftest import instances
from tests.supervision.instance import ROOT, Instance, wait_until
from tracing.store import compression

ECHO = "stub-think-echo-ask"
TOKEN = "f" * 32
# Periodic work begins as often, in place of every minute.
MINUTE_SECONDS = 2.0
SECONDS = 60.0
pytestmark = [pytest.mark.process, pytest.mark.timeout(600)]


class Person:
    """A signed-in user of a running product, with a text that is nobody else's."""

    def __init__(self, running: Instance, name: str, cookie: str, model: str) -> None:
        self.home, self.name, self.model = running.home, name, model
        self.text = "".join(secrets.choice(string.ascii_lowercase) for _ in range(24))
        self.tab = Browser(running.url, cookie)
        form = cookie.partition("=")[0].replace("roundtrip_", "roundtrip_csrf_")
        headers = {"Cookie": f"{cookie}; {form}={TOKEN}", "X-CSRFToken": TOKEN}
        headers["Origin"] = running.url
        self.http = httpx2.Client(base_url=running.url, headers=headers, trust_env=False)

    def post(self, path: str, **parts: Any) -> httpx2.Response:
        answer = self.http.post(path, timeout=30, **parts)
        assert answer.status_code < 400, f"{path}: {answer.status_code} {answer.text[:300]}"
        return answer

    def file(self) -> dict[str, tuple[str, str]]:
        return {"file": (f"{self.text}.txt", f"All about {self.text}, in a file.\n" * 40)}

    def converse(self, **more: Any) -> str:
        """A conversation that has the text in its question, reasoning, calls, results, answer,
        attachment, workspace, draft and title."""
        attachment = self.post("/attachments/", files=self.file()).json()["id"]
        calls = f'call calculate {{"expr": "{self.text}"}}\nThat is all.'
        question = f"<think>Why {self.text}?</think>{self.text} is what I ask.\n{calls}"
        key = self.tab.send(self.model, question, attachments=[attachment], **more)
        self.tab.until_over(key)
        assert self.roles() == {"user", "assistant", "tool"}
        address = f"/c/{self.tab.conversation}"
        self.post(f"{address}/files/upload", files=self.file())
        self.post(f"{address}/draft", data={"text": f"And {self.text}?", "revision": "0"})
        self.post(f"{address}/rename", data={"title": f"On {self.text}"})
        self.rows("SELECT 1 FROM chat_unindexedtext", wanted=0)
        return address

    def roles(self) -> set[str]:
        """Whose messages have the text; that of the model has it in its reasoning too."""
        query = "SELECT role FROM chat_message WHERE body LIKE ? AND (role <> 'assistant'"
        query += " OR json_extract(body, '$.reasoning_content') LIKE ?)"
        with closing(sqlite3.connect(self.home / "roundtrip.sqlite3", timeout=20)) as database:
            rows = database.execute(query, [f"%{self.text}%"] * 2).fetchall()
        return {role for (role,) in rows}

    def rows(self, query: str, *, wanted: int) -> None:
        """Waits until a query has so many rows."""
        with closing(sqlite3.connect(self.home / "roundtrip.sqlite3", timeout=20)) as database:
            wait_until(lambda: len(database.execute(query).fetchall()) == wanted, SECONDS)

    def files(self) -> list[str]:
        """The files of the home that have the text."""
        forms = _forms(self.text)
        paths = [path for path in self.home.rglob("*") if path.is_file()]
        return [path.name for path in paths if forms.search(_content(path) + _name(path))]

    def is_packed(self) -> bool:
        """Whether a compressed payload has the text."""
        with closing(sqlite3.connect(self.home / "roundtrip.sqlite3", timeout=20)) as database:
            blobs = database.execute(
                "SELECT compressed FROM tracing_blob WHERE base IS NULL"
            ).fetchall()
        return any(self.text.encode() in _unpacked(blob) for (blob,) in blobs)


def _forms(text: str) -> "re.Pattern[bytes]":
    escaped = "".join(f"\\u{ord(character):04x}" for character in text)
    forms = [text.encode(), text.encode("utf-16-le"), text.encode("utf-16-be"), escaped.encode()]
    return re.compile(b"|".join(map(re.escape, forms)), re.IGNORECASE)


def _content(path: Path) -> bytes:
    with suppress(FileNotFoundError):
        return path.read_bytes()
    return b""


def _name(path: Path) -> bytes:
    return str(path).encode()


def _unpacked(blob: bytes) -> bytes:
    with suppress(Exception):
        return compression.unpack(blob)
    return blob


@pytest.fixture(scope="module")
def people(
    tmp_path_factory: pytest.TempPathFactory, migrated: Path | None
) -> Iterator[Iterator[Person]]:
    """People of one running product, each with a text of their own."""
    with instances(tmp_path_factory.mktemp("deleted"), migrated) as make, stub_process() as stub:
        running = make(ROUNDTRIP_MINUTE_SECONDS=str(MINUTE_SECONDS))
        running.start()
        seeded = subprocess.run(
            [sys.executable, "-m", "benchmarks.seeding"],
            cwd=ROOT,
            env=dict(running.environment),
            input=json.dumps({"base_url": stub.base_url, "models": [ECHO], "users": 3}),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        read = json.loads(seeded.stdout)
        model = read["models"][ECHO]
        named = enumerate(read["cookies"])
        yield (Person(running, f"load-{number}", cookie, model) for number, cookie in named)


def assert_gone(person: Person) -> None:
    """Within the time that periodic work takes."""
    with suppress(TimeoutError):
        wait_until(lambda: not person.files(), SECONDS)
    assert (person.files(), person.is_packed()) == ([], False)


def test_deleted_conversations_are_in_no_byte_of_the_home(people: Iterator[Person]) -> None:
    usual, temporary = next(people), next(people)
    address = usual.converse()
    assert usual.is_packed() and usual.files()
    usual.post(f"{address}/delete")
    address = temporary.converse(temporary=True)
    assert temporary.is_packed() and temporary.files()
    temporary.tab.cut()
    temporary.post(f"{address}/leave")
    assert_gone(usual)
    assert_gone(temporary)


def test_a_deleted_account_is_in_no_byte_of_the_home(people: Iterator[Person]) -> None:
    person = next(people)
    person.converse()
    assert person.is_packed() and person.files()
    receipt = person.post("/data/account/delete", data={"name": person.name})
    status = f"{receipt.headers['Location']}status"
    wait_until(lambda: 'data-over="yes"' in person.http.get(status).text, SECONDS)
    assert "Log of the database emptied" in person.http.get(status).text
    assert (person.files(), person.is_packed()) == ([], False)
