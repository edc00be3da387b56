"""`python -m tests.packaging.fresh [uv] [pip]`: installs into empty environments.

From the registry, both ways, the wheel and what `make run` does, with each installer: seconds,
megabytes, and seconds to the first sign-in link. Caches of the installers are used, so a second run
says what a warm one is worth. Exit code 1 beyond `MAX_MB`.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from config import bootstrap
from tests.environment import clean_environment
from tests.packaging import wheel
from tests.packaging.wheel import ROOT
from tests.ports import free_port
from tests.supervision.instance import Instance

MAX_MB = 250
UV = [sys.executable, "-m", "uv"]
# uv is among the requirements of the tests.
WITH_UV = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"


class Measured(NamedTuple):
    way: str
    installer: str
    seconds: float
    megabytes: float
    start_seconds: float
    started_megabytes: float


def main(*installers: str) -> int:
    rows = []
    with TemporaryDirectory(prefix="roundtrip-fresh-") as folder:
        built = wheel.build(Path(folder), "wheel")[0]
        for installer in installers or ("uv", "pip"):
            ways: Mapping[str, Callable[[Path], None]] = {
                "wheel": partial(install_wheel, installer, built),
                "make run": partial(install_checkout, installer),
            }
            for way, install in ways.items():
                place = Path(folder) / f"{way.replace(' ', '-')}-{installer}"
                rows.append(measure(way, installer, place, install))
                shutil.rmtree(place)
    sys.stdout.write("way       by   install s   MB   start s   MB after a start\n")
    for row in rows:
        sys.stdout.write(
            f"{row.way:8}  {row.installer:4}  {row.seconds:8.1f}  {row.megabytes:4.0f}"
            f"  {row.start_seconds:8.1f}  {row.started_megabytes:4.0f}\n"
        )
    return int(any(row.megabytes > MAX_MB for row in rows))


def measure(way: str, installer: str, place: Path, install: Callable[[Path], None]) -> Measured:
    """Installs into `place` / venv, and starts the product there once."""
    place.mkdir()
    venv = place / "venv"
    began = time.monotonic()
    install(venv)
    seconds, megabytes = time.monotonic() - began, size_of(venv)
    began = time.monotonic()
    instance = started(venv, place)
    start_seconds = time.monotonic() - began
    instance.kill_everything()
    return Measured(way, installer, seconds, megabytes, start_seconds, size_of(venv))


def install_wheel(installer: str, built: Path, venv: Path) -> None:
    """As the README says, without extras. Raises CalledProcessError."""
    if installer == "uv":
        variables = bootstrap.pip_configuration()
        run(*UV, "venv", "--quiet", "--python", sys.executable, str(venv), **variables)
        options = ["--quiet", "--python", str(venv / "bin/python")]
        run(*UV, "pip", "install", *options, str(built), **variables)
    else:
        run(sys.executable, "-m", "venv", str(venv))
        run(str(venv / "bin/pip"), "install", "--quiet", str(built))


def install_checkout(installer: str, venv: Path) -> None:
    """What `make run` does before it starts anything. Raises CalledProcessError."""
    path = WITH_UV if installer == "uv" else without("uv")
    run(sys.executable, "-m", "config.bootstrap", VENV=str(venv), PATH=path)


def without(program: str) -> str:
    """PATH without the folders that have this program."""
    folders = os.environ["PATH"].split(os.pathsep)
    return os.pathsep.join(each for each in folders if not (Path(each) / program).exists())


def run(*command: str, **variables: str) -> None:
    environment = {**clean_environment(), **variables}
    subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)


def started(venv: Path, place: Path) -> Instance:
    """The product with a new home, once it has printed the sign-in link."""
    home = place / "home"
    variables = {"ROUNDTRIP_HOME": str(home), "PORT": str(free_port())}
    command = [str(venv / "bin/roundtrip"), "run"]
    instance = Instance(home, {**clean_environment(), **variables}, command, place)
    instance.start()
    return instance


def size_of(folder: Path) -> float:
    """Megabytes on the disk: of blocks, a file with several names once."""
    files = {(status.st_dev, status.st_ino): status.st_blocks for status in statuses(folder)}
    return sum(files.values()) * 512 / 1e6


def statuses(folder: Path) -> list[os.stat_result]:
    return [path.lstat() for path in folder.rglob("*")]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
