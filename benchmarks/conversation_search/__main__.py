"""`python -m benchmarks.conversation_search [--conversations 1000] [--messages 100]`: fills an
empty database (ROUNDTRIP_HOME or DATABASE_URL; without both a new home) and measures the search. A
database that is filled already is only measured."""

import argparse
import math
import os
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

if not os.environ.get("ROUNDTRIP_HOME"):
    os.environ["ROUNDTRIP_HOME"] = tempfile.mkdtemp()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django  # after the home is known

django.setup()

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from benchmarks.conversation_search.filling import fill, index_all
from benchmarks.conversation_search.report import Figures, render, write
from benchmarks.conversation_search.texts import FREQUENT, RARE, USUAL
from chat.models import Conversation, Message

WARM_UP_REQUESTS = 2


def main() -> None:
    options = _options()
    load = os.getloadavg()[0]
    settings.ALLOWED_HOSTS = ["testserver"]
    call_command("migrate", verbosity=0)
    owner = User.objects.filter(username="searcher").first()
    filled: dict[str, Any] = {}
    if owner is None:
        owner = User.objects.create_user("searcher")
        filled = _fill(owner, options)
    head = {
        "database": "PostgreSQL" if connection.vendor == "postgresql" else "SQLite",
        "version": _version(),
        "conversations": owner.conversations.count(),
        "messages": options.messages,
        "others": Conversation.objects.exclude(owner=owner).count(),
        "cores": os.cpu_count(),
        "load": round(load, 1),
        "python": platform.python_version(),
        "database_mb": _database_bytes() / 1e6,
        **filled,
    }
    section = render(head, list(_measured(owner, options.repeats)))
    write(section)
    sys.stdout.write(section)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=int, default=1_000)
    parser.add_argument("--messages", type=int, default=100)
    parser.add_argument("--others", type=int, default=None, help="of another user; a tenth")
    parser.add_argument("--repeats", type=int, default=20)
    return parser.parse_args()


def _fill(owner: User, options: argparse.Namespace) -> dict[str, Any]:
    """Writes and indexes the conversations; what that took, for the head of the report."""
    others = options.conversations // 10 if options.others is None else options.others
    size = fill(owner, options.conversations, options.messages, say)
    size += fill(User.objects.create_user("other"), others, options.messages, say)
    before = _database_bytes()
    seconds = index_all(say)
    _analyse()
    return {
        "text_mb": size / 1e6,
        "texts": Message.objects.count() + Conversation.objects.count(),
        "index_mb": (_database_bytes() - before) / 1e6,
        "seconds": seconds,
    }


def _measured(owner: User, repeats: int) -> Any:
    client = Client()
    client.force_login(owner, settings.AUTHENTICATION_BACKENDS[0])
    page = reverse("chat:search")
    middle = Conversation.objects.filter(owner=owner).order_by("updated")
    day = middle[middle.count() // 2].updated.date()
    latest = middle.last()
    assert latest is not None
    both = f"{USUAL[0]} {FREQUENT[0]}"
    queries: list[tuple[str, str, dict[str, Any]]] = [
        *((f"search: {word}", page, {"q": word}) for word in (*FREQUENT, *USUAL, *RARE)),
        (f"search: {both}", page, {"q": both}),
        ("search: a phrase", page, {"q": f'"{USUAL[0]} {FREQUENT[0]}"'}),
        ("search: dead*", page, {"q": "dead*"}),
        ("search: nothing has it", page, {"q": "xylophones"}),
        (f"search: {FREQUENT[0]}, page 5", page, {"q": FREQUENT[0], "page": "4"}),
        (f"search: {FREQUENT[0]}, before a day", page, {"q": FREQUENT[0], "until": day}),
        (f"search: {FREQUENT[0]}, archived", page, {"q": FREQUENT[0], "state": "archived"}),
        ("all conversations", page, {}),
        ("sidebar", reverse("chat:conversations"), {}),
        (f"sidebar: {USUAL[1]}", reverse("chat:conversations"), {"q": USUAL[1]}),
        (
            "within a conversation",
            reverse("chat:find", args=[latest.public_id]),
            {"q": FREQUENT[0]},
        ),
        ("within a conversation: th", reverse("chat:find", args=[latest.public_id]), {"q": "th"}),
    ]
    for name, path, query in queries:
        yield _request(client, name, f"{path}?{urlencode(query)}", repeats)


def _request(client: Client, name: str, url: str, repeats: int) -> Figures:
    headers = {"X-Requested-With": "fetch"}
    client.get(reverse("chat:search"), {"q": "xylophones"}, headers=headers)
    _forget()
    cold_ms = _timed(client, url, headers)
    for _ in range(WARM_UP_REQUESTS):
        client.get(url, headers=headers)
    with CaptureQueriesContext(connection) as queries:
        body = client.get(url, headers=headers).content
        count = len(queries)  # the next request empties the log
    times = sorted(_timed(client, url, headers) for _ in range(repeats))
    p95 = times[max(0, math.ceil(0.95 * repeats) - 1)]
    return Figures(name, statistics.median(times), p95, cold_ms, count, len(body) / 1000)


def _timed(client: Client, url: str, headers: dict[str, str]) -> float:
    began = time.perf_counter()
    client.get(url, headers=headers)
    return (time.perf_counter() - began) * 1000


def _forget() -> None:
    """The next request has a new connection, and reads SQLite's file from the disk."""
    connection.close()
    if connection.vendor != "sqlite" or not hasattr(os, "posix_fadvise"):
        return
    with Path(str(connection.settings_dict["NAME"])).open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _database_bytes() -> int:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_database_size(current_database())")
            return int(cursor.fetchone()[0])
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return Path(str(connection.settings_dict["NAME"])).stat().st_size


def _analyse() -> None:
    """What PostgreSQL does by itself some time after so many rows were written."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")


def _version() -> str:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SHOW server_version")
            return f"PostgreSQL {cursor.fetchone()[0]}"
        cursor.execute("SELECT sqlite_version()")
        return f"SQLite {cursor.fetchone()[0]}"


def say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    main()
