"""Two users, the stub's models and two servers, in the product's settings: JSON in, JSON out."""

import json
import sys
from pathlib import Path

from benchmarks.seeding import cookie_of, model_at  # sets Django up
from chat.models import LanguageModel, Preset, Provider
from tools import loop
from tools.mcp import listing
from tools.models import Policy, Server

SCRIBE = Path(__file__).with_name("scribe.py")
# name: the tools that may be run twice
SERVERS: dict[str, list[str]] = {"once": [], "again": ["*"]}


def server(name: str, folder: str, idempotent: list[str]) -> None:
    row = Server.objects.create(
        name=name,
        command=sys.executable,
        args=[str(SCRIBE), f"{folder}/{name}.txt"],
        idempotent_tools=idempotent,
        policy=Policy.ALLOW,
    )
    assert not listing.refresh(row).error


def give_task(provider: Provider) -> None:
    """Lets the models that make the calls they are told to begin subagents."""
    preset = Preset.objects.create(
        name="Delegates", tools=["task", "calculate", "once-*", "again-*"]
    )
    LanguageModel.objects.filter(provider=provider, name__endswith="-ask").update(preset=preset)


def main() -> None:
    wanted = json.load(sys.stdin)
    provider = Provider.objects.create(name="Stub", base_url=wanted["base_url"], api_key="none")
    for name, idempotent in SERVERS.items():
        server(name, wanted["folder"], idempotent)
    seeded = {
        "cookies": {name: cookie_of(name) for name in ("owner", "outsider")},
        "models": {name: model_at(provider, name) for name in wanted["models"]},
    }
    give_task(provider)
    sys.stdout.write(json.dumps(seeded))
    loop.close()


if __name__ == "__main__":
    main()
