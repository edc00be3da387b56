"""A model that loads the skills that it is told to: JSON in, JSON out, in the product's settings.

In comes `{"base_url": …}`, the stub's.
"""

import json
import sys

from benchmarks.seeding import django_is_set_up
from chat.models import LanguageModel, Preset, Provider

assert django_is_set_up


def main() -> None:
    wanted = json.load(sys.stdin)
    preset = Preset.objects.create(name="Apprentice", tools=["load_skill", "calculate"])
    provider = Provider.objects.create(name="Stub", base_url=wanted["base_url"], api_key="none")
    LanguageModel.objects.create(
        provider=provider, name="stub-n5-ask", label="Apprentice", preset=preset
    )
    sys.stdout.write("{}")


if __name__ == "__main__":
    main()
