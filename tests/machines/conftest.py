from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.conftest import CALLS, STEADY
from tests.machines.machines import Machines, prepared_machines


@pytest.fixture(scope="module")
def machines(migrated: Path | None) -> Iterator[Machines]:
    """Machines on a SQLite file that they share; none is started."""
    with prepared_machines(migrated, [STEADY, CALLS]) as (machines, _):
        yield machines
