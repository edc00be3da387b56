"""Instances as `make run` starts them, which the tests then stop, kill and start again."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.ports import free_port
from tests.supervision.instance import Instance

HERE = Path(__file__).parent
NOT_OURS = (
    "DATABASE_URL",
    "HOST",
    "LOCAL_MODEL",
    "REDIS_URL",
    "ROUNDTRIP_HOME",
    "ROUNDTRIP_LOCAL_MODEL",
    "ROUNDTRIP_URL",
)

Make = Callable[..., Instance]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("fault")


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Make]:
    """Makes an instance; with `home`, on the home of another one."""
    with instances(tmp_path) as make:
        yield make


@contextmanager
def instances(folder: Path) -> Iterator[Make]:
    """What is made is gone at the end."""
    made: list[Instance] = []

    def make(home: Path = folder / "home", **variables: str) -> Instance:
        kept = {name: value for name, value in os.environ.items() if name not in NOT_OURS}
        environment = {**kept, "ROUNDTRIP_HOME": str(home), "PORT": str(free_port()), **variables}
        made.append(Instance(home, environment))
        return made[-1]

    yield make
    for each in made:
        each.kill_everything()
