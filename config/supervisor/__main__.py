"""`python -m config.supervisor`: run the product until Ctrl-C or SIGTERM."""

import asyncio
import os
import signal
import socket
import sys
from functools import partial
from typing import Any

from config import extras, home, keys, systemd
from config.model_file import UnusableModel
from config.supervisor import lock, model_service, ports, records
from config.supervisor.journal import say
from config.supervisor.model_service import LocalModel
from config.supervisor.preparing import NotPrepared
from config.supervisor.stack import Stack
from limits.processes import MAX_TURNS_PROCESSES

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LAST_PORT = 65_535


def main() -> int:
    """The exit status: 0 after a requested stop; 1, with a message on stderr, otherwise."""
    os.umask(0o077)
    host = os.environ.get("HOST") or "127.0.0.1"
    run_folder = home.path() / "run"
    try:
        extras.require_database_driver(keys.text("DATABASE_URL"))
        local_model, turns_processes = model_service.find(), _turns_processes()
        with (
            lock.acquire(run_folder / "lock") as home_lock,
            ports.listen(host, _port()) as listener,
        ):
            home_lock.describe_holder(url=ports.url_of(listener))
            records.end_leftovers(run_folder)
            return asyncio.run(_supervise(listener, host, local_model, turns_processes))
    except lock.LockTaken as error:
        return _refuse(_already_runs(error.holder))
    except REFUSALS as error:
        return _refuse(str(error))


class BadSetting(ValueError):
    """An environment variable is not a number in its range; the message says so."""


# What is told before anything is started; the message is a sentence.
REFUSALS = (
    ports.CannotListen,
    BadSetting,
    UnusableModel,
    extras.MissingExtra,
    keys.UnusableKey,
)


def _port() -> int:
    value = os.environ.get("PORT") or "8000"
    if not value.isdecimal() or int(value) > LAST_PORT:
        raise BadSetting(f"PORT must be a number up to {LAST_PORT}, not {value!r}.")
    return int(value)


def _turns_processes() -> int:
    value = os.environ.get("TURNS_PROCESSES") or "1"
    if not value.isdecimal() or not 1 <= int(value) <= MAX_TURNS_PROCESSES:
        raise BadSetting(
            f"TURNS_PROCESSES must be a number from 1 to {MAX_TURNS_PROCESSES}, not {value!r}."
        )
    return int(value)


def _already_runs(holder: dict[str, Any]) -> str:
    where = f" at {holder['url']} (process {holder['pid']})" if "url" in holder else ""
    return (
        f"Roundtrip already runs on {home.path()}{where}. To run another instance, set another "
        "ROUNDTRIP_HOME."
    )


def _refuse(sentence: str) -> int:
    sys.stderr.write(f"{sentence}\n")
    return 1


async def _supervise(
    listener: socket.socket, host: str, local_model: LocalModel | None, turns_processes: int
) -> int:
    stop_requested = asyncio.Event()
    environment = _environment(listener, host)
    stack = Stack(home.path(), listener, environment, local_model, turns_processes)
    for number in STOP_SIGNALS:
        handler = partial(_stop_or_kill, stop_requested, stack)
        asyncio.get_running_loop().add_signal_handler(number, handler)
    try:
        return await _run(stack, ports.url_of(listener), stop_requested)
    finally:
        systemd.notify(systemd.STOPPING)
        say("Stopping …")
        await stack.stop()
        records.clear(home.path() / "run")
        say("Stopped.")


async def _run(stack: Stack, url: str, stop_requested: asyncio.Event) -> int:
    starting = asyncio.create_task(stack.start())
    stopping = asyncio.create_task(stop_requested.wait())
    await asyncio.wait({starting, stopping}, return_when=asyncio.FIRST_COMPLETED)
    if not starting.done():
        starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)
        return 0
    try:
        path = starting.result()
    except NotPrepared:
        return _refuse("The database could not be prepared. See the lines above for the reason.")
    except (FileNotFoundError, keys.UnusableKey) as error:
        return _refuse(str(error))
    say_how_to_sign_in(os.environ.get("ROUNDTRIP_URL") or url, path)
    systemd.notify(systemd.READY, f"STATUS=Serving {url}")
    signs_of_life = asyncio.create_task(systemd.keep_alive())
    await stopping
    signs_of_life.cancel()
    return 0


def say_how_to_sign_in(url: str, path: str) -> None:
    """Prints the sign-in link at `path`; without one, how to get a link."""
    say(f"\nReady: {url}")
    if path:
        say(f"Sign in: {url}{path}")
        say("(The link works once, for 15 minutes. Ctrl-C stops everything.)\n")
    else:
        say("Sign in: with your password, or with a link that `roundtrip sign-in-link` prints.\n")


def _stop_or_kill(stop_requested: asyncio.Event, stack: Stack) -> None:
    """At the first signal stops the services; at the second kills them."""
    if stop_requested.is_set():
        stack.kill()
    stop_requested.set()


def _environment(listener: socket.socket, host: str) -> dict[str, str]:
    """Environment variables of the child processes, which it watches itself (no HEALTH_PORT), and
    for which it alone reports to systemd."""
    own = {"HEALTH_PORT", *systemd.VARIABLES}
    inherited = {name: value for name, value in os.environ.items() if name not in own}
    return {
        # Everything stops together, within `MAX_STOP_S`.
        "DRAIN_SECONDS": "2",
        **inherited,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "ROUNDTRIP_HOME": str(home.path()),
        "HOST": host,
        "PORT": str(listener.getsockname()[1]),
        "PYTHONUNBUFFERED": "1",
        # glibc's malloc with few arenas holds less free memory.
        "MALLOC_ARENA_MAX": "2",
    }


if __name__ == "__main__":
    sys.exit(main())
