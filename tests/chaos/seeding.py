"""Two users, the stub's models, and three servers, one of which asks: JSON in, JSON out."""

import json
import sys

from benchmarks.seeding import cookie_of, model_at  # sets Django up
from chat.models import LanguageModel, Preset, Provider
from tests.chaos.plan import SERVERS
from tests.faults.seeding import server
from tools import loop
from tools.models import Policy, Server


def main() -> None:
    wanted = json.load(sys.stdin)
    provider = Provider.objects.create(name="Stub", base_url=wanted["base_url"], api_key="none")
    for name, idempotent in SERVERS.items():
        server(name, wanted["folder"], idempotent)
    Server.objects.filter(name="asked").update(policy=Policy.ASK)
    models = {name: model_at(provider, name) for name in wanted["models"]}
    # Tools are chosen by a conversation's first model: every model has them all.
    preset = Preset.objects.create(
        name="Everything", tools=["task", *(f"{name}-*" for name in SERVERS)]
    )
    LanguageModel.objects.filter(provider=provider).update(preset=preset)
    seeded = {"cookies": {name: cookie_of(name) for name in ("owner", "outsider")}}
    sys.stdout.write(json.dumps({**seeded, "models": models}))
    loop.close()


if __name__ == "__main__":
    main()
