"""Two users, the stub's models, two hostile servers and `bash`, in the product's settings: JSON in,
JSON out."""

import json
import sys
from pathlib import Path

from django.contrib.auth import get_user_model

from benchmarks.seeding import cookie_of, model_at  # sets Django up
from chat.models import LanguageModel, Preset, Provider
from tools import loop
from tools.mcp import listing
from tools.models import LocalTool, Policy, Server

SERVER = Path(__file__).with_name("hostile_server.py")
BUSY, NEWCOMER = "busy", "newcomer"


def server(name: str) -> str:
    row = Server.objects.create(
        name=name, command=sys.executable, args=[str(SERVER), name], policy=Policy.ALLOW
    )
    return str(row.public_id)


def main() -> None:
    wanted = json.load(sys.stdin)
    provider = Provider.objects.create(name="Stub", base_url=wanted["base_url"], api_key="none")
    LocalTool.objects.create(name="bash", enabled=True, policy=Policy.ALLOW)
    # Who imports cassettes and tests servers for everybody is an admin.
    get_user_model().objects.create(username=BUSY, is_staff=True, is_superuser=True)
    servers = {name: server(name) for name in ("asks", "hangs")}
    assert not listing.refresh(Server.objects.get(name="asks")).error
    seeded = {
        "cookies": {name: cookie_of(name) for name in (BUSY, NEWCOMER)},
        "models": {name: model_at(provider, name) for name in wanted["models"]},
        "servers": servers,
    }
    preset = Preset.objects.create(name="Commands", tools=["bash"])
    LanguageModel.objects.filter(name=wanted["commanding"]).update(preset=preset)
    sys.stdout.write(json.dumps(seeded))
    loop.close()


if __name__ == "__main__":
    main()
