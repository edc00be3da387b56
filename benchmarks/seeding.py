"""Creates users with a session each, the stub as a provider, and its models.

`benchmarks.product` runs this in the product's settings. Input: a JSON object with `base_url`,
`models` (names) and `users` (a number). Output: one with `cookies` and `models` (name: UUID).
"""

import json
import os
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()
django_is_set_up = True  # imported by modules that use models, so that this module comes first

from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password

from chat.models import LanguageModel, Provider
from tests.signing_in import session_cookie


def cookie_of(username: str) -> str:
    """The Cookie header of a signed-in user, who has no password."""
    without = {"password": make_password(None)}
    user, _ = get_user_model().objects.get_or_create(username=username, defaults=without)
    return session_cookie(user)


def model_at(provider: Provider, name: str) -> str:
    model, _ = LanguageModel.objects.get_or_create(provider=provider, name=name)
    return str(model.public_id)


def main() -> None:
    options = json.load(sys.stdin)
    provider, _ = Provider.objects.update_or_create(
        name="Stub", defaults={"base_url": options["base_url"], "api_key": "none"}
    )
    seeded = {
        "cookies": [cookie_of(f"load-{number}") for number in range(options["users"])],
        "models": {name: model_at(provider, name) for name in options["models"]},
    }
    sys.stdout.write(json.dumps(seeded))


if __name__ == "__main__":
    main()
