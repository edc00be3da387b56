"""run, web, worker: the processes, in the foreground."""

import argparse
import os
import sys
from typing import NoReturn

from config import home
from config.command_line.command import Command
from config.home import BASE_DIR

THREADS = {"turns": 200, "tools": 64}


def _address_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", help="address to listen at (default: HOST, or 127.0.0.1)")
    parser.add_argument("--port", type=_a_port, help="port (default: PORT, or 8000)")


def _worker_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("queue", choices=list(THREADS), help="what it works for")
    parser.add_argument(
        "--threads", type=_a_count, help="turns (200) or calls (64) at the same time in a process"
    )
    parser.add_argument(
        "--processes", type=_a_count, default=1, help="forked from one, which restarts them (1)"
    )


def _run(options: argparse.Namespace) -> int:
    _set_address(options)
    from config.supervisor.__main__ import main

    return main()


def _web(options: argparse.Namespace) -> int:
    _set_address(options)
    _become("config.web")


def _worker(options: argparse.Namespace) -> int:
    threads = options.threads or THREADS[options.queue]
    _become("config.work", options.queue, str(threads), str(options.processes))


def _set_address(options: argparse.Namespace) -> None:
    """Options of the command count more than the environment."""
    given = {"HOST": options.host, "PORT": options.port}
    os.environ.update({name: str(value) for name, value in given.items() if value is not None})


def _become(module: str, *arguments: str) -> NoReturn:
    """Replaces this process by the one that the supervisor would start: signals and the process id
    are its own."""
    os.umask(0o077)
    environment = {
        # glibc's malloc with few arenas holds less free memory.
        "MALLOC_ARENA_MAX": "2",
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "ROUNDTRIP_HOME": str(home.path()),
        "PYTHONUNBUFFERED": "1",
    }
    os.chdir(BASE_DIR)
    os.execve(sys.executable, [sys.executable, "-m", module, *arguments], environment)


def _a_port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: a number up to 65535")
    return int(text)


def _a_count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


COMMANDS = {
    "run": Command(
        about="Starts Redis (unless REDIS_URL names one), prepares the database, and runs the web\n"
        "server and both workers under one supervisor, which restarts what ends. Prints a link\n"
        "to sign in with, at the first start or on a terminal. Ctrl-C or SIGTERM stops all.",
        run=_run,
        add_options=_address_options,
        ending="""\
environment:
  ROUNDTRIP_HOME     folder of all state (default: ~/.local/share/roundtrip; var/ in a checkout)
  ROUNDTRIP_URL      public address behind a proxy; https:// makes cookies secure
  DATABASE_URL       postgres://user:password@host/name (default: SQLite in the home)
  REDIS_URL          redis://:password@host/0 (default: a private one is started)
  TURNS_PROCESSES    processes that answer turns (default: 1)
  OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL
                     a model of any server with OpenAI's API
  LOCAL_MODEL        a GGUF file to run on this machine (extra local-model)

exit codes:
  0   stopped as requested
  1   could not start: a sentence on stderr says why (the port is taken, the home is in use, …)

examples:
  roundtrip run
  roundtrip run --port 8080
  ROUNDTRIP_HOME=/srv/roundtrip ROUNDTRIP_URL=https://chat.example.com roundtrip run
""",
    ),
    "web": Command(
        about="One web process, in the foreground: pages, websockets and APIs. For a supervisor\n"
        "or a container of your own; `roundtrip migrate` has to have run before.",
        run=_web,
        add_options=_address_options,
        ending="""\
environment:
  ROUNDTRIP_HOME, DATABASE_URL, REDIS_URL, ROUNDTRIP_URL   the same for all processes

exit codes:
  0    stopped as requested (SIGTERM: what runs is ended within seconds)
  1    could not start
  78   the configuration cannot work: starting again does not help

examples:
  roundtrip web --host 0.0.0.0 --port 8000
""",
    ),
    "worker": Command(
        about="One worker, in the foreground: `turns` answers messages (calls models), `tools`\n"
        "runs what models call (functions, sandboxes, MCP servers). Any number of either may run.\n"
        "`celery -A config worker -P threads -Q turns` does the same.",
        run=_worker,
        add_options=_worker_options,
        ending="""\
environment:
  ROUNDTRIP_HOME, DATABASE_URL, REDIS_URL   the same for all processes

exit codes:
  0    stopped as requested (SIGTERM: its work is handed over)
  1    could not start
  78   the configuration cannot work: starting again does not help

examples:
  roundtrip worker turns
  roundtrip worker turns --processes 4
  roundtrip worker tools --threads 16
""",
    ),
}
