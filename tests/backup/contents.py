"""What an instance has, in the product's settings: each table's rows, each file, every payload put
together again, what searches find, and how its pages answer.

In comes `{"pages": arguments of addresses, or null for none, "words": […]}`; without an argument, a
page is left out. Rows are read by the models, so what is encrypted is decrypted, and both kinds of
database give the same values.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from benchmarks.seeding import django_is_set_up  # isort: skip

from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.test import Client
from django.utils import timezone

from chat.models import Conversation, SharedLink
from chat.search import results
from chat.search.files.indexing import index_noted_files
from chat.search.indexing import index_noted
from config.backup.folders import NAMES
from config.backup.tables import LEFT_OUT
from tests.access.routes import RULES
from tests.backup.examples import examples
from tests.pages.table import Arguments, pages
from tracing.models import Payload, Trace
from tracing.search.matching import search
from tracing.search.reindexing import index_outdated
from tracing.store import payloads

assert django_is_set_up

SECONDS = 60.0


def main() -> None:
    asked = json.load(sys.stdin)
    found: dict[str, Any] = {"tables": dict(_tables()), "files": dict(_files())}
    found["payloads"] = _read_payloads()
    index_noted(SECONDS)
    index_noted_files(SECONDS)
    index_outdated(10_000, SECONDS)
    found["searches"] = {word: _search(word) for word in asked["words"]}
    found["pages"] = {} if asked["pages"] is None else dict(_pages(asked["pages"]))
    sys.stdout.write(json.dumps(found))


def _tables() -> Iterator[tuple[str, list[str]]]:
    """A hash of each row, by table."""
    for model in apps.get_models(include_auto_created=True):
        if model._meta.db_table not in LEFT_OUT:
            fields: Any = [one for one in model._meta.concrete_fields if _is_kept(one)]
            names = [field.attname for field in fields]
            rows = model._base_manager.order_by("pk").values_list(*names)
            yield model._meta.db_table, [_digest(fields, row) for row in rows.iterator()]


def _is_kept(field: Any) -> bool:
    """All but the version of a text's index, which the worker writes when it has indexed it."""
    return (field.model._meta.db_table, field.name) != ("tracing_searchtext", "version")


def _digest(fields: list[Any], row: tuple[Any, ...]) -> str:
    values = [_plain(field, value) for field, value in zip(fields, row, strict=True)]
    return hashlib.sha256(repr(values).encode("utf-8", "surrogatepass")).hexdigest()[:20]


def _plain(field: Any, value: Any) -> Any:
    if isinstance(value, memoryview):
        return bytes(value)
    # PostgreSQL orders the keys of `jsonb`; other JSON is text, with its order.
    return json.dumps(value, sort_keys=True) if isinstance(field, models.JSONField) else value


def _files() -> Iterator[tuple[str, list[Any]]]:
    """SHA-256, permissions and time of each."""
    home = Path(settings.HOME)
    for name in NAMES:
        for path in sorted((home / name).rglob("*")):
            facts = path.lstat()
            if not path.is_symlink():
                content = path.read_bytes() if path.is_file() else b""
                digest = hashlib.sha256(content).hexdigest()
                named = str(path.relative_to(home))
                yield named, [digest, facts.st_mode & 0o777, facts.st_mtime_ns]


def _read_payloads() -> int:
    """The count of payloads; raises if the bytes of one are not what its hash says."""
    rows = Payload.objects.select_related("span__trace__archive").order_by("pk")
    return sum(1 for row in rows.iterator(100) if payloads.load(row) is not None)


def _search(word: str) -> list[Any]:
    owner = _owner()
    found = results.search(word, owner.pk, Conversation.objects.for_user(owner), filtered=False)
    titles = [str(row.conversation.public_id) for row in found.rows]
    traces = search(word, Trace.objects.all()).order_by("pk")
    return [titles, [str(one) for one in traces.values_list("public_id", flat=True)]]


def _pages(arguments: Arguments) -> Iterator[tuple[str, int]]:
    """The status of each, 200 for the one that is meant; expired links are open again."""
    SharedLink.objects.update(ends=timezone.now() + timedelta(days=1))
    arguments = examples() | arguments
    signed_in, anybody = (
        Client(headers={"host": "localhost"}),
        Client(headers={"host": "localhost"}),
    )
    signed_in.force_login(_owner(), settings.AUTHENTICATION_BACKENDS[0])
    for page in pages():
        if page.opens is None and (not page.of or page.of in arguments):
            client = signed_in if page.is_signed_in else anybody
            status = client.get(page.address(arguments), follow=True).status_code
            # Those of a link that nobody has, and the like, are meant to refuse.
            meant = {rule.get for rule in RULES.get(page.route, ())} if page.route else {404}
            yield str(page), 200 if status in meant else status


def _owner() -> User:
    return User.objects.filter(is_superuser=True).order_by("pk")[0]


if __name__ == "__main__":
    main()
