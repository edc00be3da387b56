"""The examples of docs/api.md, as they stand there, against the real application."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from django.db import connection

from chat.models import LanguageModel, Turn
from chat.tests.engine.conftest import answer_rings

PAGE = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
EXAMPLES = {
    int(number): (language, code)
    for number, language, code in re.findall(
        r"^### (\d+)\. .+?^```(\w+)\n(.*?)^```", PAGE, re.S | re.M
    )
}
COMMANDS = {"bash": ["bash", "-ceu"], "python": [sys.executable, "-c"]}
Run = Callable[[int], str]


@dataclass
class Worker:
    """`pause_s`: how long it leaves a turn that it has found."""

    pause_s: float = 0.0


@pytest.fixture
def worker() -> Iterator[Worker]:
    """Answers every turn that is open."""
    worker = Worker()
    ended = threading.Event()

    def work() -> None:
        while not ended.wait(0.05):
            for turn in Turn.objects.open():
                ended.wait(worker.pause_s)
                answer_rings(turn)
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield worker
    ended.set()
    thread.join(30)


@pytest.fixture
def run(remote: httpx2.Client, echo: LanguageModel, worker: Worker) -> Run:
    """Runs an example beside a turn that is there; what it prints."""
    began = remote.post("/api/turns", json={"text": "How many tables?"}).json()
    given = {
        "ROUNDTRIP": str(remote.base_url).rstrip("/"),
        "TOKEN": remote.headers["Authorization"].removeprefix("Bearer "),
        "CONVERSATION": began["conversation"],
        "TURN": began["id"],
        "no_proxy": "127.0.0.1",
    }

    def run_example(number: int) -> str:
        language, code = EXAMPLES[number]
        done = subprocess.run(
            [*COMMANDS[language], code],
            env={"PATH": os.environ["PATH"], **given, "TRACE": trace_of(remote, began["id"])},
            capture_output=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    return run_example


def trace_of(remote: httpx2.Client, turn: str) -> str:
    """After its end."""
    for _ in range(600):
        read = remote.get(f"/api/turns/{turn}").json()
        if read["state"] == "done":
            return str(read["trace"])
        threading.Event().wait(0.05)
    raise AssertionError("the turn does not come to an end")


def test_there_are_ten() -> None:
    assert sorted(EXAMPLES) == list(range(1, 11))


def test_1_tells_who(run: Run) -> None:
    assert json.loads(run(1))["username"] == "owner"


def test_2_prints_the_answer(run: Run) -> None:
    assert run(2).startswith("done ")


def test_3_starts_one_turn(run: Run) -> None:
    first, second = map(json.loads, run(3).split("\n")[:2])
    assert first["id"] == second["id"]
    assert Turn.objects.count() == 2


def test_4_shows_the_turn(run: Run) -> None:
    assert run(4).startswith("id: ")


def test_5_goes_on_after_a_cut(run: Run, worker: Worker) -> None:
    worker.pause_s = 1.0  # the example has opened its stream by then
    text = run(5)
    turn = Turn.objects.select_related("answer").latest("pk")
    assert turn.answer is not None
    assert text == turn.answer.body["content"]


def test_6_finds_a_page(run: Run) -> None:
    assert {"items", "next"} == json.loads(run(6)).keys()


def test_7_renames(run: Run) -> None:
    renamed: dict[str, Any] = json.loads(run(7))
    assert (renamed["title"], renamed["pinned"]) == ("Tables", True)


def test_8_stores_a_file(run: Run) -> None:
    assert json.loads(run(8))["name"] == "animals.csv"


def test_9_reads_the_beginning_of_a_request(run: Run) -> None:
    assert run(9).startswith("{")


def test_10_approves(run: Run) -> None:
    assert run(10) == "done 0\n"
