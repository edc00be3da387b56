"""Data that the code of each release has made, with today's migrations and pages, on both kinds of
database: on PostgreSQL as a backup of it, which has the state of its release until it is migrated.
"""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from tests import postgres
from tests.backup.instances import ROOT, SECONDS, Instance
from tests.upgrade.releases import RELEASES, Release

WORDS = ["韩梅梅"]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres.server() as url:
        yield url


@pytest.fixture(scope="module", params=RELEASES, ids=str)
def migrated_on_sqlite(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    home = tmp_path_factory.mktemp("sqlite") / "home"
    request.param.make_home(home)
    instance = Instance(home)
    migrate(instance)
    return request.param, instance.contents(WORDS, pages_of(request.param))


@pytest.fixture(scope="module", params=RELEASES, ids=str)
def migrated_on_postgresql(
    request: Any, server: str, tmp_path_factory: pytest.TempPathFactory
) -> Any:
    folder = tmp_path_factory.mktemp("postgresql")
    request.param.make_home(folder / "home")
    Instance(folder / "home").back_up(folder / "archive.zip")
    name = f"release_{request.param.name.replace('.', '_')}"
    with psycopg.connect(server, autocommit=True) as database:
        database.execute(f"CREATE DATABASE {name}")
    instance = Instance(folder / "restored", server.replace("/postgres", f"/{name}"))
    instance.restore(folder / "archive.zip")
    migrate(instance)
    return request.param, instance.contents(WORDS, pages_of(request.param))


def test_every_page_opens_after_an_upgrade_on_sqlite(migrated_on_sqlite: Any) -> None:
    check(*migrated_on_sqlite)


def test_every_page_opens_after_an_upgrade_on_postgresql(migrated_on_postgresql: Any) -> None:
    check(*migrated_on_postgresql)


def migrate(instance: Instance) -> None:
    """As `roundtrip migrate`, and the start of the product."""
    subprocess.run(
        [sys.executable, "-m", "config.prepare"],
        cwd=ROOT,
        env=instance.environment,
        timeout=SECONDS,
        check=True,
    )


def pages_of(release: Release) -> Any:
    """What its seeding has named, besides what is found among the rows."""
    said = release.said()
    return said if "conversation" in said else {}


def check(release: Release, found: dict[str, Any]) -> None:
    """Each page answers; each payload is what its hash says (else it could not be counted)."""
    assert {page: status for page, status in found["pages"].items() if status != 200} == {}
    assert len(found["pages"]) > 80
    assert found["payloads"] > 20
    conversations, _ = found["searches"][WORDS[0]]
    assert conversations
    assert len(found["tables"]["chat_turn"]) >= release.turns
