"""Fills a product: a reader with long conversations, and people with many of them.

`benchmarks.product` runs it in the product's settings.

Input: `sizes`, numbers of messages, and `lists`, of conversations (by default the same). Output:
`pages`, each with the name, the address, the Cookie header of its user and the number of queries.
"""

import json
import sys

from benchmarks.seeding import cookie_of

# After the setup of Django in benchmarks.seeding.
from django.conf import settings  # isort: skip
from django.contrib.auth.models import User  # isort: skip
from django.db import connection  # isort: skip
from django.test import Client  # isort: skip
from django.test.utils import CaptureQueriesContext  # isort: skip
from django.urls import reverse  # isort: skip

from benchmarks.chat_page.filling import conversation_of, list_of  # isort: skip
from chat.models import Turn  # isort: skip

READER = "reader"


def main() -> None:
    wanted = json.load(sys.stdin)
    reader, _ = User.objects.get_or_create(username=READER)
    pages = []
    for size in wanted["sizes"]:
        conversation = conversation_of(reader, size)
        address = conversation.get_absolute_url()
        pages.append(_page(f"{size:,} messages", address, READER))
    oldest = list(Turn.objects.filter(conversation=conversation).order_by("id")[:21])[-1]
    place = f"{address}?at={oldest.public_id}#turn-{oldest.public_id}"
    pages.append(_page(f"{size:,} messages, at an old one", place, READER))
    for size in wanted.get("lists", wanted["sizes"]):
        owner, _ = User.objects.get_or_create(username=f"list-{size}")
        list_of(owner, size)
        pages.append(_page(f"sidebar, {size:,}", reverse("chat:conversations"), owner.username))
    sys.stdout.write(json.dumps({"pages": pages}))


def _page(name: str, address: str, username: str) -> dict[str, object]:
    settings.ALLOWED_HOSTS = ["testserver"]
    client = Client()
    client.force_login(User.objects.get(username=username))
    with CaptureQueriesContext(connection) as queries:
        client.get(address)
    cookie = cookie_of(username)
    return {"name": name, "address": address, "cookie": cookie, "queries": len(queries)}


if __name__ == "__main__":
    main()
