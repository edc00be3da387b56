"""The start of processes on a PostgreSQL that they share: keys, migrations, probes."""

from collections.abc import Iterator

import pytest

from tests import postgres
from tests.machines.machines import Machines, machines_on
from tests.ports import free_port
from tests.redis_server import RedisServer

KEYS = ("ROUNDTRIP_SECRET_KEY", "ROUNDTRIP_ENCRYPTION_KEY")


@pytest.fixture(scope="module")
def machines() -> Iterator[Machines]:
    url = f"redis://127.0.0.1:{free_port()}/0"
    with postgres.server() as database, RedisServer(url), machines_on(database, url) as machines:
        yield machines


def last_line(output: str) -> str:
    return output.strip().splitlines()[-1]


def test_a_process_on_a_database_that_is_behind_says_so_and_ends(machines: Machines) -> None:
    """The first test: nobody has migrated yet."""
    for name in ("web", "turns"):
        ended = machines.machine(name).run()

        assert ended.returncode == 1
        assert "Apply them with `roundtrip migrate`" in last_line(ended.stderr)


def test_a_process_that_waits_for_migrations_goes_on_when_they_are_there(
    machines: Machines,
) -> None:
    worker = machines.machine("turns", {"DATABASE_WAIT_SECONDS": "120"})
    worker.start()

    prepared = machines.prepare()
    worker.wait_until_ready()

    assert prepared.returncode == 0, prepared.stderr
    assert "Waiting for them" in worker.output
    worker.end()


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("name", ["web", "turns"])
def test_a_process_with_another_key_is_refused(machines: Machines, name: str, key: str) -> None:
    ended = machines.machine(name, {key: "x" * 40}).run()

    assert ended.returncode == 1
    assert last_line(ended.stderr).startswith(f"{key} is not the key of this database.")
    assert "Traceback" not in ended.stderr


def test_a_second_machine_makes_no_keys_for_a_database_that_has_some(machines: Machines) -> None:
    ended = machines.prepare(dict.fromkeys(KEYS, ""))

    assert ended.returncode == 1
    assert last_line(ended.stderr).startswith("The key ROUNDTRIP_SECRET_KEY is missing")
    assert not list(machines.folder.glob("prepare-*/keys/*"))


def test_a_database_that_is_ahead_is_used(machines: Machines) -> None:
    newer = [
        "-c",
        "import django; django.setup(); from django.db import connection as c;"
        'c.cursor().execute("INSERT INTO django_migrations (app, name, applied)'
        " VALUES ('chat', '9999_of_the_next_release', now())\")",
    ]
    variables = {"DJANGO_SETTINGS_MODULE": "config.settings"}
    machines.machine("newer", variables, newer).run().check_returncode()

    (worker,) = machines.start("tools")

    assert worker.health("live")["live"]
    worker.end()


def test_a_worker_answers_probes_and_web_and_worker_say_the_version(machines: Machines) -> None:
    web, worker = machines.start("web", "turns")

    assert worker.health() == web.health() | {"consuming": True}
    assert worker.health("live")["version"] == web.health("live")["version"]
