"""check: whether an installation can work, one line for each thing that it needs."""

import argparse
import shutil
import sys
from collections.abc import Callable
from typing import NamedTuple

from config.command_line.command import COMMON_VARIABLES, FAILED, Command
from config.command_line.django_setup import set_up


class Finding(NamedTuple):
    is_good: bool
    sentence: str


def _check(options: argparse.Namespace) -> int:
    """Later lines mean nothing without the settings, nor migrations and keys without a database."""
    set_up()
    database = check_database()
    findings = [_print("settings", check_settings()), _print("database", database)]
    if database.is_good:
        findings += [
            _print("migrations", check_migrations()),
            _print("keys", check_keys()),
        ]
    findings += [_print(name, check()) for name, check in LATER.items()]
    return 0 if all(findings) else FAILED


def _print(name: str, finding: Finding) -> bool:
    sys.stdout.write(f"{'ok  ' if finding.is_good else 'FAIL'}  {name:10}  {finding.sentence}\n")
    sys.stdout.flush()
    return finding.is_good


def check_settings() -> Finding:
    from django.conf import settings
    from django.core import checks

    from chat.agent.checks import TAG

    problems = checks.run_checks(tags=[TAG])
    if problems:
        return Finding(False, " ".join(f"{problem.msg} {problem.hint}" for problem in problems))
    return Finding(True, f"home {settings.HOME}")


def check_database() -> Finding:
    from django.db import Error, connection

    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error as error:
        return Finding(False, f"does not answer: {' '.join(str(error).split())}")
    return Finding(True, f"{connection.display_name} answers")


def check_migrations() -> Finding:
    from config.database_state import missing_migrations

    missing = missing_migrations()
    if missing:
        return Finding(False, f"{len(missing)} missing: roundtrip migrate")
    return Finding(True, "all are applied")


def check_keys() -> Finding:
    from django.db import Error

    from config import database_state, keys
    from tools import encryption

    try:
        if not encryption.fits_database():
            return Finding(False, database_state.other(keys.ENCRYPTION))
        database_state.refuse_foreign_keys()
    except Error:
        return Finding(False, "cannot be tried: tables are missing")
    except SystemExit as refusal:
        return Finding(False, str(refusal))
    return Finding(True, "are those of this database")


def check_redis() -> Finding:
    import redis
    from django.conf import settings

    from config import home, keys, redis_binary
    from limits.web import MAX_HEALTH_CHECK_S

    if not keys.text("REDIS_URL") and not home.running_redis():
        try:
            return Finding(True, f"`roundtrip run` starts {redis_binary.find()}")
        except FileNotFoundError as error:
            return Finding(False, str(error))
    client = redis.Redis.from_url(
        settings.REDIS_URL,
        socket_connect_timeout=MAX_HEALTH_CHECK_S,
        socket_timeout=MAX_HEALTH_CHECK_S,
        retry=None,
    )
    try:
        with client:
            client.ping()
    except redis.RedisError as error:
        return Finding(False, f"does not answer: {error}")
    return Finding(True, "answers")


def check_disk() -> Finding:
    from django.conf import settings

    from tools.workspace.limits import configured

    needed = configured().disk_free_bytes
    free = shutil.disk_usage(settings.HOME).free
    sentence = f"{free / 1e9:,.1f} GB are free in {settings.HOME}"
    if free < needed:
        return Finding(False, f"{sentence}; {needed / 1e9:,.1f} GB are needed")
    return Finding(True, sentence)


LATER: dict[str, Callable[[], Finding]] = {"Redis": check_redis, "disk": check_disk}
COMMANDS = {
    "check": Command(
        about="Checks what the installation needs, and prints a line for each: the settings, the\n"
        "database, its migrations, the keys that decrypt what it has, Redis, and room on the\n"
        "disk. Changes nothing in the database.",
        run=_check,
        ending=COMMON_VARIABLES
        + """\
  REDIS_URL        redis://:password@host/0 (default: a private one, which `run` starts)

exit codes:
  0   every line is ok
  1   a line begins with FAIL, or the settings cannot be used

examples:
  roundtrip check
  roundtrip check && exec roundtrip web
""",
    )
}
