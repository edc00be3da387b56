"""Instances as `make run` starts them, which the tests then stop, kill and start again."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks.product import begin_with
from tests.environment import clean_environment
from tests.ports import free_port
from tests.supervision.instance import Instance

Make = Callable[..., Instance]


@pytest.fixture
def instance(tmp_path: Path, migrated: Path | None) -> Iterator[Make]:
    """Makes an instance; with `home`, on the home of another one; `fresh`, on nothing at all."""
    with instances(tmp_path, migrated) as make:
        yield make


@contextmanager
def instances(folder: Path, database: Path | None) -> Iterator[Make]:
    """What is made is gone at the end. A new home begins with the migrated database."""
    made: list[Instance] = []

    def make(home: Path = folder / "home", *, fresh: bool = False, **variables: str) -> Instance:
        if not fresh and not home.exists():
            begin_with(home, database)
        ours = {"ROUNDTRIP_HOME": str(home), "PORT": str(free_port())}
        environment = {**clean_environment(), **ours, **variables}
        made.append(Instance(home, environment))
        return made[-1]

    yield make
    for each in made:
        each.kill_everything()
