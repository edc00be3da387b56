"""Registers a server that wants an account, and a model that calls what it is told to: JSON in and
out.

In the product's settings; in comes `{"base_url": …, "url": …}`, the stub's and the server's.
"""

import json
import sys

from benchmarks.seeding import django_is_set_up
from chat.models import LanguageModel, Provider
from tools.models import Policy, Server

assert django_is_set_up


def main() -> None:
    wanted = json.load(sys.stdin)
    provider = Provider.objects.create(name="Stub", base_url=wanted["base_url"], api_key="none")
    LanguageModel.objects.create(provider=provider, name="stub-n5-ask", label="Caller")
    row = Server.objects.create(
        name="notes",
        transport=Server.Transport.HTTP,
        url=wanted["url"],
        allow_private=True,
        uses_oauth=True,
        policy=Policy.ALLOW,
    )
    json.dump({"page": row.get_absolute_url()}, sys.stdout)


if __name__ == "__main__":
    main()
