"""Registers servers that ask people, and a model that calls what it is told to: JSON in and out.

In the product's settings; in comes `{"base_url": …}`, the stub's.
"""

import json
import sys
from pathlib import Path

from benchmarks.seeding import django_is_set_up
from chat.models import LanguageModel, Provider
from tools import loop
from tools.mcp import listing
from tools.models import Policy, Server

assert django_is_set_up

SERVER = Path(__file__).parents[2] / "tools" / "tests" / "servers" / "asking.py"


def main() -> None:
    wanted = json.load(sys.stdin)
    provider = Provider.objects.create(name="Stub", base_url=wanted["base_url"], api_key="none")
    LanguageModel.objects.create(provider=provider, name="stub-n5-ask", label="Caller")
    for name, mode in (("old", Server.Mode.LEGACY), ("new", Server.Mode.AUTO)):
        row = Server.objects.create(
            name=name,
            command=sys.executable,
            args=[str(SERVER)],
            mode=mode,
            policies=[["book", Policy.ALLOW], ["pages", Policy.ALLOW], ["visit", Policy.ALLOW]],
        )
        assert not listing.refresh(row).error
    loop.close()
    sys.stdout.write("{}")


if __name__ == "__main__":
    main()
