"""The private Redis: on loopback, with a password, configured in `$ROUNDTRIP_HOME/redis`.

It keeps everything in memory alone. The database is the authority, from which work goes on with an
empty Redis; and events and running texts, which are in no file, need not be deleted from one.
"""

import asyncio
import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from config import home, redis_binary
from config.supervisor.ports import free_port
from config.supervisor.service import Plan

# Seconds between two checks whether Redis answers.
PROBE_PAUSE_S = 0.02


def redis_plan(home_folder: Path, environment: Mapping[str, str]) -> Plan:
    """The plan of Redis. Raises FileNotFoundError, with a message, if there is no redis-server."""
    binary = redis_binary.find()
    folder = home_folder / "redis"
    folder.mkdir(mode=0o700, exist_ok=True)
    password = home.secret("redis")
    port = free_port(preferred=_last_port(folder))
    url = f"redis://:{password}@127.0.0.1:{port}/0"
    configuration = _configure(folder, port, password)
    _remove_saved(folder)

    async def wait_for_answer() -> None:
        while not await _answers_ping(port, password):
            await asyncio.sleep(PROBE_PAUSE_S)

    return Plan(
        name="redis",
        command=[binary, str(configuration)],
        environment=environment,
        folder=folder,
        answers=wait_for_answer,
        record={"url": url},
    )


def _configure(folder: Path, port: int, password: str) -> Path:
    """Write `redis.conf`, at each start. On the command line every user would see the password."""
    lines = {
        "port": port,
        "bind": "127.0.0.1",
        "requirepass": password,
        "dir": json.dumps(str(folder)),
        "appendonly": "no",
        "save": '""',
        "loglevel": "warning",
        "tcp-backlog": 511,
    }
    file = folder / "redis.conf"
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        stream.writelines(f"{name} {value}\n" for name, value in lines.items())
    return file


def _remove_saved(folder: Path) -> None:
    """Removes what Redis saved in earlier versions, in files with texts of people."""
    for file in (*folder.glob("*.aof"), *folder.glob("*.rdb")):
        file.unlink()
    shutil.rmtree(folder / "appendonlydir", ignore_errors=True)


def _last_port(folder: Path) -> int:
    """The port of the last run, so that processes which know it can reconnect; 0 without one."""
    with suppress(OSError, ValueError):
        first = (folder / "redis.conf").read_text().split("\n", 1)[0]
        return int(first.removeprefix("port "))
    return 0


async def _answers_ping(port: int, password: str) -> bool:
    """Whether Redis answers, which it does once its data are loaded."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    try:
        writer.write(f"AUTH {password}\r\nPING\r\n".encode())
        answer = await reader.readline() + await reader.readline()
    except OSError:
        return False
    finally:
        writer.close()
    return answer.endswith(b"+PONG\r\n")
