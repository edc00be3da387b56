"""The `tools` workers as machines: a name for each home, and when each was seen last."""

import re
import secrets
import socket
from datetime import datetime
from functools import cache
from pathlib import Path

from django.conf import settings
from django.db import models
from django.utils import timezone

from chat.models import ToolsMachine
from limits.placement import MAX_MACHINE_SILENCE

QUEUE = "tools.{machine}"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


@cache
def name() -> str:
    """The name of this machine: `MACHINE_NAME`, else one that is made once and kept in the home, so
    that a worker that is started again has it too. Raises ValueError for no usable one."""
    given = str(settings.MACHINE_NAME) or _kept(Path(settings.HOME) / "machine-name")
    if not _NAME.fullmatch(given):
        raise ValueError(f"MACHINE_NAME may have letters, digits, dots and dashes, not {given!r}.")
    return given


def queue(machine: str) -> str:
    """The Celery queue of this machine's own calls."""
    return QUEUE.format(machine=machine)


def beat() -> None:
    """Keeps this machine in the list. Called by its `tools` worker every two seconds."""
    now = timezone.now()
    if not ToolsMachine.objects.filter(name=name()).update(seen=now, leaving=False):
        ToolsMachine.objects.bulk_create([ToolsMachine(name=name())], ignore_conflicts=True)


def leave() -> None:
    """When the `tools` worker ends: others need not wait until it was silent for long."""
    ToolsMachine.objects.filter(name=name()).update(leaving=True)


def last_seen(machine: str) -> datetime | None:
    """None if there was never a machine of this name."""
    rows = ToolsMachine.objects.filter(name=machine)
    return rows.values_list("seen", flat=True).first()


def present() -> "models.QuerySet[ToolsMachine]":
    """The machines that take work, the latest seen first."""
    since = timezone.now() - MAX_MACHINE_SILENCE
    return ToolsMachine.objects.filter(seen__gt=since, leaving=False).order_by("-seen")


def is_present(machine: str) -> bool:
    return present().filter(name=machine).exists()


def _kept(file: Path) -> str:
    try:
        return file.read_text().strip()
    except FileNotFoundError:
        pass
    host = re.sub(r"[^A-Za-z0-9]+", "-", socket.gethostname()).strip("-")[:40] or "machine"
    made = f"{host}-{secrets.token_hex(3)}"
    try:
        with file.open("x") as stream:
            stream.write(made + "\n")
    except FileExistsError:
        return file.read_text().strip()
    return made
