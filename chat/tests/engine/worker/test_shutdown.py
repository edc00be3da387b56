"""The end of a worker process."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import patience
from tests.environment import clean_environment
from tests.ports import free_port

pytestmark = pytest.mark.process

ROOT = Path(__file__).resolve().parents[4]
# A worker that ends while its timer begins tasks, which use the database many times.
ENDS_IN_MID_BEAT = """
import logging, threading, django
django.setup()
logging.basicConfig()
from chat.engine.worker import celery_signals
from chat.engine.worker.periodic_tasks import PeriodicWork
from chat.engine.worker.worker_timer import CallBeat, WorkerTimer
from db.threads import in_database

worked, poked = threading.Semaphore(0), threading.Event()

def work():
    for _ in range(200):
        in_database(int)
    worked.release()
    poked.set()

timer = WorkerTimer(CallBeat(1, PeriodicWork(every_beat=(work,) * 4)), poked)
celery_signals._timers.append(timer)
timer.start()
for _ in range(8):
    assert worked.acquire(timeout=30)
celery_signals._stop()
celery_signals._close()
"""


def test_no_periodic_task_begins_while_a_worker_ends(tmp_path: Path, migrated: Path | None) -> None:
    if migrated is None:
        pytest.skip("the end is the same on PostgreSQL")
    environment = {
        **clean_environment(),
        "ROUNDTRIP_HOME": str(tmp_path),
        "REDIS_URL": f"redis://127.0.0.1:{free_port()}/0",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    shutil.copyfile(migrated, tmp_path / "roundtrip.sqlite3")
    ended = subprocess.run(
        [sys.executable, "-c", ENDS_IN_MID_BEAT],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=patience.SECONDS,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
