"""The process in which the engine runs again: a home, a database and a broker of its own."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from celery import current_app
from django.apps import apps
from django.conf import settings
from django.core.management import call_command

# Exit codes: a request differed; there is nothing that could be replayed.
DIFFERENT, UNUSABLE = 1, 2
# Has the temporary home of this process.
SCRATCH = "ROUNDTRIP_SCRATCH"
# The database is temporary, and need not survive a crash.
NOT_DURABLE = "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF;"
UNUSED_REDIS = "redis://127.0.0.1:1/0"  # the discard port of TCP: nothing listens there


def run(arguments: list[str]) -> int:
    """Runs `manage.py` with these arguments on a scratch home; its exit code."""
    with TemporaryDirectory(prefix="roundtrip-replay-") as home:
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), *arguments]
        return subprocess.run(command, env=_environment(home), check=False).returncode


def is_scratch() -> bool:
    """Whether this process has been started by `run`."""
    return os.environ.get(SCRATCH) == str(settings.HOME)


def prepare() -> None:
    """Prepares an empty database, retries without a pause, and a broker in memory.

    Tables are created from the models: applying all migrations takes twenty times as long.
    """
    current_app.conf.update(broker_url="memory://", broker_transport_options={})
    settings.RETRY_SECONDS = 0.0
    settings.MIGRATION_MODULES = {app.label: None for app in apps.get_app_configs()}
    settings.DATABASES["default"]["OPTIONS"]["init_command"] = NOT_DURABLE
    call_command("migrate", verbosity=0, run_syncdb=True)


def _environment(home: str) -> dict[str, str]:
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")
    }
    resolved = str(Path(home).resolve())
    own = {
        "ROUNDTRIP_HOME": resolved,
        SCRATCH: resolved,
        "DATABASE_URL": "",
        "DATABASE_URL_FILE": "",
        "REDIS_URL": UNUSED_REDIS,
        "REDIS_URL_FILE": "",
    }
    quiet = {"LOG_LEVEL": "ERROR", "LOCAL_MODEL": "", "NO_PROXY": "127.0.0.1"}
    return {**inherited, **own, **quiet}
