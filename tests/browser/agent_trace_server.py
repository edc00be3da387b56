"""Models that delegate and make room: JSON in and out.

In the product's settings; in comes `{"base_url": …, "models": {label: name}}`, the stub's.
"""

import json
import sys

from benchmarks.seeding import django_is_set_up
from chat.models import LanguageModel, Preset, Provider

assert django_is_set_up

TOOLS = ["task", "todo", "compact", "calculate"]


def main() -> None:
    wanted = json.load(sys.stdin)
    provider = Provider.objects.create(name="Stub", base_url=wanted["base_url"], api_key="none")
    preset = Preset.objects.create(
        name="Agent", tools=TOOLS, limits={"reminder_rounds": 1, "auto_keeps": 1}
    )
    for label, name in wanted["models"].items():
        LanguageModel.objects.create(provider=provider, name=name, label=label, preset=preset)
    sys.stdout.write("{}")


if __name__ == "__main__":
    main()
