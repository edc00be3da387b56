"""Registers a model that begins subagents, and a server that asks people: JSON in and out.

In the product's settings; in comes `{"base_url": …}`, the stub's.
"""

import json
import sys
from pathlib import Path

from benchmarks.seeding import django_is_set_up
from chat.models import LanguageModel, Preset, Provider
from tools import loop
from tools.mcp import listing
from tools.models import Policy, Server

assert django_is_set_up

SERVER = Path(__file__).parents[2] / "tools" / "tests" / "servers" / "asking.py"


def main() -> None:
    wanted = json.load(sys.stdin)
    provider = Provider.objects.create(name="Stub", base_url=wanted["base_url"], api_key="none")
    preset = Preset.objects.create(name="Delegates", tools=["task", "calculate", "new-*"])
    for label, name in wanted["models"].items():
        LanguageModel.objects.create(provider=provider, name=name, label=label, preset=preset)
    row = Server.objects.create(
        name="new", command=sys.executable, args=[str(SERVER)], policies=[["book", Policy.ALLOW]]
    )
    assert not listing.refresh(row).error
    loop.close()
    sys.stdout.write("{}")


if __name__ == "__main__":
    main()
