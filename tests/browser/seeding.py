"""Models at the stub, in the product's settings: JSON in, JSON out.

In comes `{"base_url", "models": [{"name", "label", "kind"?, "dialect"?, "takes_images"?}, …]}`, out
go the models' UUIDs by label.
"""

import json
import sys

from benchmarks.seeding import django_is_set_up
from chat.models import LanguageModel, Provider

assert django_is_set_up


def main() -> None:
    wanted = json.load(sys.stdin)
    made = {}
    for model in wanted["models"]:
        kind = model.get("kind", "openai")
        provider, _ = Provider.objects.get_or_create(
            name=f"Stub ({kind})",
            defaults={"kind": kind, "base_url": wanted["base_url"], "api_key": "none"},
        )
        row = LanguageModel.objects.create(
            provider=provider,
            name=model["name"],
            label=model["label"],
            dialect=model.get("dialect", "native"),
            takes_images=model.get("takes_images", False),
        )
        made[row.label] = str(row.public_id)
    sys.stdout.write(json.dumps(made))


if __name__ == "__main__":
    main()
