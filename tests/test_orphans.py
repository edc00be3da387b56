"""What tests and benchmarks start ends with them, also when they are killed by SIGKILL."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.processes import tree
from host.processes import parent_death_signal, start_time
from tests.environment import clean_environment
from tests.supervision.instance import wait_until

pytestmark = pytest.mark.process
ROOT = Path(__file__).resolve().parent.parent
# By name: module and name of the starter, and how many processes it starts at least.
STARTERS = {
    "redis": ("tests.redis_server", "RedisServer", 1),
    "model": ("benchmarks.stub", "stub_process", 1),
    "sign-in provider": ("config.accounts.tests.oidc.providers", "mock_process", 1),
    "postgres": ("tests.postgres", "server", 2),
    "browser": ("tests.chromium", "running", 3),
    "product": ("benchmarks.product", "running_product", 5),
}
HEAVY = {"postgres": pytest.mark.long, "product": pytest.mark.long, "browser": pytest.mark.browser}
ARGUMENTS = {"redis": "f'redis://127.0.0.1:{free_port()}/0'"}
PROGRAM = """
import signal
from pathlib import Path
from {module} import {starter}
from tests.ports import free_port
with {starter}({argument}):
    print("started", flush=True)
    signal.pause()
"""


@pytest.fixture
def place() -> Iterator[Path]:
    """For temporary folders, which a killed process leaves; PostgreSQL's user may pass through."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        yield Path(folder)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=HEAVY.get(name, ())) for name in STARTERS]
)
def test_nothing_outlives_a_test_process_that_is_killed(
    name: str, place: Path, migrated: Path | None
) -> None:
    module, starter, count = STARTERS[name]
    argument = ARGUMENTS.get(name, "")
    if name == "product" and migrated is not None:
        argument = f"database=Path({str(migrated)!r})"
    tests = subprocess.Popen(
        [
            *(sys.executable, "-c"),
            PROGRAM.format(module=module, starter=starter, argument=argument),
        ],
        cwd=ROOT,
        env={**clean_environment(), "TMPDIR": str(place)},
        stdout=subprocess.PIPE,
        preexec_fn=parent_death_signal(),
    )
    try:
        assert tests.stdout
        assert tests.stdout.readline() == b"started\n"
        started = {pid: start_time(pid) for pid in tree(tests.pid) if pid != tests.pid}
        assert len(started) >= count
    finally:
        tests.kill()
        tests.communicate()
    wait_until(lambda: not any(start_time(pid) == began for pid, began in started.items()))
