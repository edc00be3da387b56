"""Makes a token with which a program may call models. `benchmarks.product` runs this in the
product's settings. Input: a JSON object with `username`. Output: one with `secret`."""

import json
import os
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()
django_is_set_up = True  # imported by modules that use models, so that this module comes first

from django.contrib.auth import get_user_model

from tokens.models import Scope, Token


def main() -> None:
    options = json.load(sys.stdin)
    user = get_user_model().objects.get(username=options["username"])
    _, secret = Token.objects.make(user, "Benchmark", [Scope.CHAT])
    sys.stdout.write(json.dumps({"secret": secret}))


if __name__ == "__main__":
    main()
