"""`python -m config.supervisor`: run the product until Ctrl-C or SIGTERM."""

import asyncio
import os
import signal
import socket
import sys
from functools import partial
from typing import Any

from config import home
from config.model_file import Unusable
from config.supervisor import lock, model_service, ports, records
from config.supervisor.journal import say
from config.supervisor.model_service import LocalModel
from config.supervisor.preparing import NotPrepared
from config.supervisor.stack import Stack

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LAST_PORT = 65_535


def main() -> int:
    """The exit status: 0 after a stop that was asked for; 1, with a sentence, for all else."""
    os.umask(0o077)
    host = os.environ.get("HOST") or "127.0.0.1"
    run_folder = home.path() / "run"
    try:
        local_model = model_service.find()
        with lock.held(run_folder / "lock") as held, ports.listen(host, _port()) as listener:
            held.note(url=ports.url_of(listener))
            records.sweep(run_folder)
            return asyncio.run(_supervise(listener, host, local_model))
    except lock.Held as error:
        return _refuse(_already_runs(error.holder))
    except (ports.CannotListen, BadPort, Unusable) as error:
        return _refuse(str(error))


class BadPort(ValueError):
    """PORT is not a number; the message says so."""


def _port() -> int:
    given = os.environ.get("PORT") or "8000"
    if not given.isdecimal() or int(given) > LAST_PORT:
        raise BadPort(f"PORT must be a number up to {LAST_PORT}, not {given!r}.")
    return int(given)


def _already_runs(holder: dict[str, Any]) -> str:
    where = f" at {holder['url']} (process {holder['pid']})" if "url" in holder else ""
    return (
        f"Roundtrip already runs on {home.path()}{where}. To run another instance, set another "
        "ROUNDTRIP_HOME."
    )


def _refuse(sentence: str) -> int:
    sys.stderr.write(f"{sentence}\n")
    return 1


async def _supervise(listener: socket.socket, host: str, local_model: LocalModel | None) -> int:
    asked_to_stop = asyncio.Event()
    stack = Stack(home.path(), listener, _environment(listener, host), local_model)
    for number in STOP_SIGNALS:
        handler = partial(_stop_or_kill, asked_to_stop, stack)
        asyncio.get_running_loop().add_signal_handler(number, handler)
    try:
        return await _run(stack, ports.url_of(listener), asked_to_stop)
    finally:
        say("Stopping …")
        await stack.stop()
        records.clear(home.path() / "run")
        say("Stopped.")


async def _run(stack: Stack, url: str, asked_to_stop: asyncio.Event) -> int:
    starting = asyncio.create_task(stack.start())
    stopping = asyncio.create_task(asked_to_stop.wait())
    await asyncio.wait({starting, stopping}, return_when=asyncio.FIRST_COMPLETED)
    if not starting.done():
        starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)
        return 0
    try:
        path = starting.result()
    except NotPrepared:
        return _refuse("The database could not be prepared. See the lines above for the reason.")
    except FileNotFoundError as error:
        return _refuse(str(error))
    say_how_to_sign_in(os.environ.get("ROUNDTRIP_URL") or url, path)
    await stopping
    return 0


def say_how_to_sign_in(url: str, path: str) -> None:
    """A link, or, where what is printed may be kept, how to get one."""
    say(f"\nReady: {url}")
    if path:
        say(f"Sign in: {url}{path}")
        say("(The link works once, for 15 minutes. Ctrl-C stops everything.)\n")
    else:
        say("Sign in: with your password, or with a link that `manage.py sign_in_link` prints.\n")


def _stop_or_kill(asked_to_stop: asyncio.Event, stack: Stack) -> None:
    """The first time politely, the second time at once."""
    if asked_to_stop.is_set():
        stack.kill()
    asked_to_stop.set()


def _environment(listener: socket.socket, host: str) -> dict[str, str]:
    """What the children are told: where they are, and to be small."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "ROUNDTRIP_HOME": str(home.path()),
        "HOST": host,
        "PORT": str(listener.getsockname()[1]),
        "PYTHONUNBUFFERED": "1",
        # Threads allocate from few arenas: less memory that is free and yet not given back.
        "MALLOC_ARENA_MAX": "2",
    }


if __name__ == "__main__":
    sys.exit(main())
