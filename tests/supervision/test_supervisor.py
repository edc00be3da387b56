import json
import os
import signal
import socket
import stat
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, build_opener, urlopen

import pytest

from tests.supervision.conftest import Make
from tests.supervision.instance import Instance, is_alive, wait_until

PROCESSES = ("web", "turns", "tools", "redis")


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
    running = instance(fresh=True)
    link = running.start()

    assert _health(running) == {"ok": True, "database": True, "redis": True}
    assert _open(link) == 200
    assert _open(link) == 410
    for name in PROCESSES:
        _dies_and_comes_back(running, name)
    wait_until(lambda: _health(running).get("ok"))

    running.send(signal.SIGINT)
    assert running.wait_for_end(10) == 0
    assert running.survivors() == []
    assert list((running.home / "run").glob("*.json")) == []


def _dies_and_comes_back(running: Instance, name: str) -> None:
    before = running.pid(name)
    os.kill(before, signal.SIGKILL)
    wait_until(lambda: running.pid(name) not in (0, before), 5)
    assert is_alive(running.pid(name))


def test_nothing_outlives_a_supervisor_that_is_killed(instance: Make) -> None:
    running = instance()
    running.start()
    assert len(running.survivors()) >= 1 + len(PROCESSES)

    running.send(signal.SIGKILL)
    wait_until(lambda: running.survivors() == [], 5)
    again = instance(running.home, PORT=running.environment["PORT"])
    assert "key=" in again.start(terminal=True)
    assert _health(again)["ok"]


def test_a_second_instance_on_a_home_says_so_and_leaves_the_first_alone(instance: Make) -> None:
    first = instance()
    first.start()
    second = instance(first.home)
    second.spawn()

    assert second.wait_for_end() == 1
    assert second.wait_for_line("already runs on").count(first.url) == 1
    assert _health(first)["ok"]


def test_sigterm_while_it_starts_stops_it(instance: Make) -> None:
    starting = instance(fresh=True)
    starting.spawn()
    starting.wait_for_line("Preparing the database")
    children = starting.pids()
    starting.send(signal.SIGTERM)

    assert starting.wait_for_end(10) == 0
    wait_until(lambda: not any(map(is_alive, children)), 5)


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


def test_redis_that_was_given_is_used_and_not_stopped(instance: Make, tmp_path: Path) -> None:
    first = instance()
    first.start()
    url = json.loads((first.home / "run" / "redis.json").read_text())["url"]
    second = instance(tmp_path / "second", REDIS_URL=url)
    second.start()
    assert second.pid("redis") == 0

    second.send(signal.SIGTERM)
    assert second.wait_for_end(10) == 0
    assert _health(first)["redis"]


def test_all_state_is_in_the_home_and_only_its_owner_reads_it(instance: Make) -> None:
    running = instance(fresh=True)
    running.start()

    readable = [
        str(file.relative_to(running.home))
        for file in running.home.rglob("*")
        if not file.is_symlink() and stat.S_IMODE(file.stat().st_mode) & 0o077
    ]
    assert readable == []


def test_passwords_and_links_are_in_no_log_and_no_command_line(instance: Make) -> None:
    running = instance(OPENAI_API_KEY="sk-canary-7d1f")
    link = running.start()
    _open(link)
    _open(link)
    secrets = [link.partition("key=")[2], "sk-canary-7d1f"]
    secrets += [file.read_text().strip() for file in (running.home / "keys").iterdir()]

    shown = "\n".join(log.read_text() for log in (running.home / "logs").iterdir())
    for pid in running.pids():
        shown += Path(f"/proc/{pid}/cmdline").read_text()
    assert [secret for secret in secrets if secret in shown] == []
