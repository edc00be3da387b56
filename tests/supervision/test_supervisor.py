import json
import os
import signal
import socket
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, build_opener, urlopen

import pytest

from tests.supervision.conftest import Make, instances
from tests.supervision.instance import Instance, is_alive, wait_until

pytestmark = pytest.mark.process

PROCESSES = ("web", "turns", "tools", "redis")
CANARY = "sk-canary-7d1f"


@dataclass(frozen=True)
class Running:
    """An instance that no test ends, and the sign-in link that it printed."""

    instance: Instance
    link: str


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The first start of a new user's."""
    with instances(tmp_path_factory.mktemp("running"), None) as make:
        first = make(fresh=True, OPENAI_API_KEY=CANARY)
        yield Running(first, first.start())


def _health(instance: Instance) -> dict[str, bool]:
    try:
        with urlopen(f"{instance.url}/health", timeout=5) as answer:
            return dict(json.load(answer))
    except OSError:
        return {}


def _open(link: str) -> int:
    """The status of the page behind a sign-in link, after its redirects, in a new browser."""
    try:
        with build_opener(HTTPCookieProcessor(CookieJar())).open(link, timeout=10) as page:
            return int(page.status)
    except HTTPError as error:
        return error.code


def test_it_starts_signs_in_restarts_what_dies_and_stops(instance: Make) -> None:
    started = instance()
    link = started.start()

    assert _health(started) == {"ok": True, "database": True, "redis": True}
    assert _open(link) == 200
    assert _open(link) == 410
    for name in PROCESSES:
        _dies_and_comes_back(started, name)
    wait_until(lambda: _health(started).get("ok"))

    started.send(signal.SIGINT)
    assert started.wait_for_end(10) == 0
    assert started.survivors() == []
    assert list((started.home / "run").glob("*.json")) == []


def _dies_and_comes_back(instance: Instance, name: str) -> None:
    before = instance.pid(name)
    assert before
    os.kill(before, signal.SIGKILL)
    wait_until(lambda: instance.pid(name) not in (0, before))
    assert is_alive(instance.pid(name))


def test_nothing_outlives_a_supervisor_that_is_killed(instance: Make) -> None:
    killed = instance()
    killed.start()
    assert len(killed.survivors()) >= 1 + len(PROCESSES)

    killed.send(signal.SIGKILL)
    wait_until(lambda: killed.survivors() == [])
    again = instance(killed.home, PORT=killed.environment["PORT"])
    assert "key=" in again.start(terminal=True)
    assert _health(again)["ok"]


def test_a_second_instance_on_a_home_says_so_and_leaves_the_first_alone(
    running: Running, instance: Make
) -> None:
    second = instance(running.instance.home)
    second.spawn()

    assert second.wait_for_end() == 1
    assert second.wait_for_line("already runs on").count(running.instance.url) == 1
    assert _health(running.instance)["ok"]


def test_sigterm_while_it_starts_stops_it(instance: Make) -> None:
    starting = instance(fresh=True)
    starting.spawn()
    starting.wait_for_line("Preparing the database")
    children = starting.pids()
    starting.send(signal.SIGTERM)

    assert starting.wait_for_end(10) == 0
    wait_until(lambda: not any(map(is_alive, children)))


def test_a_port_in_use_is_said_before_anything_starts(instance: Make) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = instance(PORT=str(port))
        refused.spawn()

        assert refused.wait_for_end() == 1
        assert f"PORT={port + 1}" in refused.wait_for_line(f"Port {port} is in use")


@pytest.mark.parametrize("port", ["eighty", "-1", "65536"])
def test_a_port_that_is_none_is_said(instance: Make, port: str) -> None:
    refused = instance(PORT=port)
    refused.spawn()

    assert refused.wait_for_end() == 1
    assert port in refused.wait_for_line("PORT must be a number")


@pytest.mark.parametrize("processes", ["two", "0", "65"])
def test_a_number_of_processes_that_cannot_be_is_said(instance: Make, processes: str) -> None:
    refused = instance(TURNS_PROCESSES=processes)
    refused.spawn()

    assert refused.wait_for_end() == 1
    assert processes in refused.wait_for_line("TURNS_PROCESSES must be a number from 1 to 64")


@pytest.mark.parametrize("host", ["no.such.host.invalid", "192.0.2.1"])
def test_an_address_that_is_not_ours_is_said(instance: Make, host: str) -> None:
    refused = instance(HOST=host)
    refused.spawn()

    assert refused.wait_for_end() == 1
    assert refused.wait_for_line(f"cannot listen on {host}")


def test_a_database_that_cannot_be_prepared_ends_it_with_a_sentence(instance: Make) -> None:
    refused = instance(DATABASE_URL="postgres://nobody@127.0.0.1:9/none")
    refused.spawn()

    assert refused.wait_for_end(60) == 1
    assert refused.wait_for_line("could not be prepared")
    assert refused.survivors() == []


def test_redis_that_was_given_is_used_and_not_stopped(running: Running, instance: Make) -> None:
    first = running.instance
    url = json.loads((first.home / "run" / "redis.json").read_text())["url"]
    second = instance(REDIS_URL=url)
    second.start()
    assert second.pid("redis") == 0

    second.send(signal.SIGTERM)
    assert second.wait_for_end(10) == 0
    assert _health(first)["redis"]


def test_all_state_is_in_the_home_and_only_its_owner_reads_it(running: Running) -> None:
    home = running.instance.home
    readable = [
        str(file.relative_to(home))
        for file in home.rglob("*")
        if not file.is_symlink() and stat.S_IMODE(file.stat().st_mode) & 0o077
    ]
    assert readable == []


def test_passwords_and_links_are_in_no_log_and_no_command_line(running: Running) -> None:
    _open(running.link)
    _open(running.link)
    home = running.instance.home
    secrets = [running.link.partition("key=")[2], CANARY]
    secrets += [file.read_text().strip() for file in (home / "keys").iterdir()]

    shown = "\n".join(log.read_text() for log in (home / "logs").iterdir())
    for pid in running.instance.pids():
        shown += Path(f"/proc/{pid}/cmdline").read_text()
    assert [secret for secret in secrets if secret in shown] == []
