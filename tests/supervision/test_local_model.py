"""A real model on this machine, through the whole product. Asserts on structure, never on words."""

import json
import os
import signal
import sqlite3
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, Request, build_opener, urlopen

import pytest

from benchmarks.processes import memory
from config import model_file
from tests.faults.browser import Browser
from tests.faults.ledger import Ledger
from tests.supervision.conftest import Make, instances
from tests.supervision.instance import Instance, is_alive

STAGES = ("input", "request", "response", "output")
SECONDS = 90.0
# Answered with more than SETTLED allows, in as many tokens on every machine.
QUESTION = "Write the numbers from 1 to 500, one a line."
SETTLED = {"temperature": 0, "seed": 1, "max_tokens": 120}
THE_MODEL = "provider_id = (SELECT id FROM chat_provider WHERE name = 'Local model')"

pytestmark = [pytest.mark.process, pytest.mark.local_model, pytest.mark.timeout(600)]
Note = Callable[[str, object], None]


class Tab(Browser):
    """The owner's, signed in by the printed link."""

    def __init__(self, running: Instance, link: str) -> None:
        jar = CookieJar()
        self._opener = build_opener(HTTPCookieProcessor(jar))
        self._opener.open(link, timeout=10).close()
        super().__init__(running.url, "; ".join(f"{each.name}={each.value}" for each in jar))

    def get(self, path: str) -> Any:
        with self._opener.open(self._origin + path, timeout=10) as answer:
            return json.load(answer)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, migrated: Path | None) -> Iterator[Instance]:
    """An instance with the bundled model, which answers always the same."""
    with instances(tmp_path_factory.mktemp("local"), migrated) as make:
        yield make(LOCAL_MODEL="1")


@pytest.fixture(scope="module")
def tab(running: Instance) -> Iterator[Tab]:
    link = running.start()
    running.wait_for_line("is ready.", SECONDS)
    row(running, "UPDATE chat_languagemodel SET parameters = ? WHERE " + THE_MODEL, SETTLED)
    opened = Tab(running, link)
    yield opened
    opened.cut()


def row(running: Instance, statement: str, *values: object) -> tuple[Any, ...]:
    """The first row of a statement's answer, past the product."""
    written = [json.dumps(v) if isinstance(v, dict) else v for v in values]
    with closing(sqlite3.connect(running.home / "roundtrip.sqlite3", timeout=20)) as database:
        found = database.execute(statement, written).fetchone()
        database.commit()
    return found or ()


def the_model(running: Instance) -> str:
    """Its UUID."""
    (found,) = row(running, "SELECT public_id FROM chat_languagemodel WHERE " + THE_MODEL)
    return str(uuid.UUID(found))


def address(running: Instance) -> str:
    record = json.loads((running.home / "run" / "model.json").read_text())
    return str(record["model"]["base_url"])


def generation_of(tab: Tab, running: Instance, key: str) -> Any:
    """The one model call of a turn, as its trace exports it."""
    query = "SELECT public_id FROM tracing_trace WHERE id = (SELECT trace_id FROM chat_turn"
    (found,) = row(running, query + " WHERE client_key = ?)", key)
    (only,) = tab.get(f"/traces/{uuid.UUID(found)}.json")["rounds"]
    (generation,) = only["generations"]
    return generation


def test_a_real_answer_streams_through_the_whole_product(
    running: Instance, tab: Tab, capsys: pytest.CaptureFixture[str]
) -> None:
    key = tab.send(the_model(running), QUESTION)
    tab.until_over(key, SECONDS)
    ledger = Ledger(running.home)
    assert ledger.assert_sound(key).status == "done"
    assert [tab.shown(key).text] == ledger.texts(key)
    assert len([frame for frame in tab.frames if frame["type"] == "delta"]) > 20
    generation = generation_of(tab, running, key)
    assert all(generation[stage] for stage in STAGES)
    assert generation["usage"]["completion_tokens"] == SETTLED["max_tokens"]
    with capsys.disabled():
        sys.stdout.write(report(running, generation))


def report(running: Instance, generation: Any) -> str:
    tokens, timings = generation["usage"]["completion_tokens"], generation["timings"]
    return (
        f"\n{generation['model']}: {tokens} tokens, the first after "
        f"{timings['first_token_ms']:.0f} ms, then {1000 * tokens / timings['stream_ms']:.0f} a "
        f"second; {memory([running.pid('model')]).pss:.0f} MB (PSS); {os.cpu_count()} cores\n"
    )


def test_it_answers_only_who_has_the_key(running: Instance, tab: Tab) -> None:
    refused = Request(f"{address(running)}/models", headers={"Authorization": "Bearer none"})
    with pytest.raises(HTTPError, match="401"):
        urlopen(refused, timeout=5)
    key = (running.home / "keys" / "local_model").read_text().strip()
    accepted = Request(refused.full_url, headers={"Authorization": f"Bearer {key}"})
    with urlopen(accepted, timeout=5) as answer:
        assert answer.status == 200
    assert key not in Path(f"/proc/{running.pid('model')}/cmdline").read_text()


def test_killed_in_mid_answer_it_comes_back_and_the_answer_is_asked_for_again(
    running: Instance, tab: Tab
) -> None:
    key = tab.send(the_model(running), QUESTION)
    tab.until_text(key, 40)
    before = running.pid("model")
    assert before
    os.kill(before, signal.SIGKILL)
    tab.until_over(key, SECONDS)

    ledger = Ledger(running.home)
    assert ledger.assert_sound(key).status == "done"
    first, *_, last = ledger.statuses(key, "generation")
    assert (first, last) == ("failed", "succeeded")
    assert [tab.shown(key).text] == ledger.texts(key)
    assert running.pid("model") not in (0, before)


def test_a_file_of_ones_own_runs_and_ends_in_mid_answer_when_everything_is_stopped(
    instance: Make, tmp_path: Path
) -> None:
    mine = tmp_path / "我的 模型.v2.gguf"
    mine.symlink_to(model_file.find("1").path)
    owned = instance(LOCAL_MODEL=str(mine))
    tab = Tab(owned, owned.start())
    owned.wait_for_line("我的 模型.v2 is ready.", SECONDS)
    model = owned.pid("model")
    key = tab.send(the_model(owned), QUESTION)
    tab.until_text(key, 20, SECONDS)
    owned.send(signal.SIGINT)
    assert owned.wait_for_end(10) == 0
    assert not is_alive(model)
    assert owned.survivors() == []


@pytest.mark.parametrize(
    ("name", "sentence"), [("none.gguf", "There is no file"), ("README.md", "is not a GGUF file")]
)
def test_what_is_no_model_is_said_before_anything_starts(
    instance: Make, name: str, sentence: str
) -> None:
    refused = instance(LOCAL_MODEL=name)
    refused.spawn()

    assert refused.wait_for_end() == 1
    assert name in refused.wait_for_line(sentence)
    assert not (refused.home / "run").exists()
