"""The wheel in an environment of its own, away from the repository. What it depends on is that of
the tests: `make install` installs that from a registry too."""

import os
import re
import subprocess
import sysconfig
from collections.abc import Iterator, Mapping
from http.cookiejar import CookieJar
from importlib import metadata
from pathlib import Path
from urllib.request import HTTPCookieProcessor, build_opener
from zipfile import ZipFile

import pytest

from chat.cassettes import walkthrough
from config import release
from tests.environment import clean_environment
from tests.faults.browser import Browser
from tests.packaging import wheel
from tests.packaging.requirements import MAIN, ROOT, pins_in
from tests.ports import free_port
from tests.supervision.instance import Instance

MODEL_ID = "from chat.models import LanguageModel; print(LanguageModel.objects.get().public_id)"
DEPENDENCIES = Path(sysconfig.get_path("purelib"))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheel.build(tmp_path_factory.mktemp("dist"), "wheel")[0]


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The environment."""
    venv = tmp_path_factory.mktemp("installed") / "venv"
    wheel.install(built, venv, DEPENDENCIES)
    return venv


@pytest.fixture
def environment(installed: Path, tmp_path: Path) -> dict[str, str]:
    """Of a person who has just installed it: nothing is configured, and nothing is there."""
    (tmp_path / "person").mkdir()
    without = {"XDG_DATA_HOME", "PYTHONPATH", "VIRTUAL_ENV"}
    kept = {name: value for name, value in clean_environment().items() if name not in without}
    path = f"{installed / 'bin'}{os.pathsep}{kept.get('PATH', '')}"
    return {**kept, "HOME": str(tmp_path / "person"), "PATH": path, "PORT": str(free_port())}


@pytest.fixture
def instance(environment: dict[str, str], tmp_path: Path) -> Iterator[Instance]:
    home = tmp_path / "person/.local/share/roundtrip"
    started = Instance(home, environment, ["roundtrip", "run"], tmp_path)
    yield started
    started.kill_everything()


def roundtrip(*arguments: str, environment: Mapping[str, str], folder: Path) -> str:
    """What the command prints. Raises CalledProcessError."""
    return subprocess.run(
        ["roundtrip", *arguments],
        env=environment,
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout


def test_the_wheel_has_every_file_of_the_product_and_no_other(built: Path) -> None:
    with ZipFile(built) as archive:
        names = set(archive.namelist())
    described = {name for name in names if ".dist-info/" in name}

    shipped = {f"roundtrip/{file}" for file in wheel.repository_files() if wheel.is_shipped(file)}
    assert names - described == shipped | {"roundtrip.pth"}
    assert {Path(name).name for name in described} >= {"METADATA", "LICENSE", "NOTICE"}


def test_all_kinds_of_data_are_among_them(built: Path) -> None:
    with ZipFile(built) as archive:
        kinds = {Path(name).suffix for name in archive.namelist()}
    assert kinds >= {".html", ".js", ".css", ".mo", ".lua", ".json", ".jinja", ".txt", ".md", ".sh"}


def test_no_dependency_has_a_package_of_the_name_of_one_of_ours() -> None:
    """Ours are found last: theirs would be imported."""
    ours = {file.partition("/")[0] for file in wheel.repository_files() if wheel.is_shipped(file)}
    theirs = {
        file.parts[0]
        for pin in pins_in((ROOT / MAIN).read_text())
        if pin.requirement.marker is None or pin.requirement.marker.evaluate()
        for file in metadata.files(pin.name) or ()
    }
    assert theirs & ours == set()


def test_it_starts_signs_in_and_answers_in_an_empty_environment(
    instance: Instance, tmp_path: Path
) -> None:
    link = instance.start()
    cookies = CookieJar()
    opener = build_opener(HTTPCookieProcessor(cookies))
    with opener.open(link, timeout=10) as answer:
        page = answer.read().decode()
    static = re.search(r'href="(/static/[^"]+\.css)"', page)
    model = roundtrip(
        *("manage", "shell", "-v0", "-c", MODEL_ID),
        environment=instance.environment,
        folder=tmp_path,
    ).strip()

    assert static
    assert opener.open(instance.url + static[1], timeout=10).status == 200
    cookie = "; ".join(f"{each.name}={each.value}" for each in cookies)
    with Browser(instance.url, cookie) as browser:
        key = browser.send(model, walkthrough.questions("en")[0])
        browser.until_over(key)
        assert browser.shown(key).state == "done"
        assert browser.shown(key).calls  # of the stdio server that is in the wheel
        assert browser.shown(key).text
    assert (instance.home / "roundtrip.sqlite3").exists()


def test_commands_work_from_any_folder(environment: dict[str, str], tmp_path: Path) -> None:
    printed = roundtrip("version", environment=environment, folder=tmp_path)
    served = roundtrip("cassette", "serve", "--help", environment=environment, folder=tmp_path)

    assert printed.startswith(f"roundtrip {release.version()}\n")
    assert "site-packages/roundtrip" in printed
    assert served.startswith("usage: roundtrip cassette serve")


def test_celery_finds_the_product_without_our_command(
    installed: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    report = subprocess.run(
        [installed / "bin/python", "-m", "celery", "-A", "config", "report"],
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert "config.queues" in report.stdout or "chat.advance" in report.stdout
