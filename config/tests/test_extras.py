import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from config import extras
from config.home import BASE_DIR

# What every process imports, where the packages of the extras are not there.
PROGRAM = """
import sys

class Nowhere:
    names = ("psycopg", "opentelemetry.sdk", "opentelemetry.exporter", "google.protobuf", "xllama")

    def find_spec(self, name, path=None, target=None):
        if name.startswith(self.names):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Nowhere())
import config.asgi, config.worker, chat.tasks, tools.tasks
"""


@pytest.fixture
def without_psycopg(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(
        "config.extras.find_spec",
        lambda name: None if name.startswith("psycopg") else find_spec(name),
    )
    yield


@pytest.mark.usefixtures("without_psycopg")
@pytest.mark.parametrize("scheme", ["postgres", "postgresql"])
def test_postgresql_without_its_extra_is_a_sentence_that_names_it(scheme: str) -> None:
    with pytest.raises(extras.MissingExtra, match=r"pip install 'roundtrip\[postgres\]'"):
        extras.require_database_driver(f"{scheme}://user:secret@host/name")


@pytest.mark.usefixtures("without_psycopg")
@pytest.mark.parametrize("url", ["", "sqlite:////srv/data.sqlite3"])
def test_sqlite_needs_no_extra(url: str) -> None:
    extras.require_database_driver(url)


def test_the_extra_that_is_installed_is_found() -> None:
    extras.require_database_driver("postgres://user:secret@host/name")


def test_the_product_loads_without_the_packages_of_any_extra(tmp_path: Path) -> None:
    environment = {"ROUNDTRIP_HOME": str(tmp_path), "DJANGO_SETTINGS_MODULE": "config.settings"}
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=BASE_DIR,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
