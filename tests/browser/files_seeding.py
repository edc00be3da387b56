"""A model that writes files where it is told to: JSON in, JSON out, in the product's settings.

In comes `{"base_url": …}`, the stub's.
"""

import json
import sys

from benchmarks.seeding import django_is_set_up
from chat.models import LanguageModel, Preset, Provider
from tools.models import LocalTool, Policy

assert django_is_set_up

TOOLS = ("write_file", "list_files")


def main() -> None:
    wanted = json.load(sys.stdin)
    for name in TOOLS:
        LocalTool.objects.update_or_create(
            name=name, defaults={"enabled": True, "policy": Policy.ALLOW}
        )
    policies = [[name, Policy.ALLOW] for name in TOOLS]
    preset = Preset.objects.create(name="Writer", tools=list(TOOLS), policies=policies)
    provider = Provider.objects.create(name="Stub", base_url=wanted["base_url"], api_key="none")
    LanguageModel.objects.create(
        provider=provider, name="stub-n5-ask", label="Writer", preset=preset
    )
    sys.stdout.write("{}")


if __name__ == "__main__":
    main()
