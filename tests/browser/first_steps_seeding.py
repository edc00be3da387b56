"""A model, a server and a member, in the product's settings: JSON in, JSON out.

In comes `{"model", "server", "member"}`: the state of the check of a model and of a server, and a
password; each may be absent. Whoever has dismissed the first steps is shown them again.
"""

import json
import sys

from django.contrib.auth.models import User

from benchmarks.seeding import django_is_set_up
from chat.models import LanguageModel, PersonalSettings, Provider
from tools.models import Server

assert django_is_set_up

PROVIDER, SERVER, MEMBER = "Somewhere", "files", "member"


def main() -> None:
    wanted = json.load(sys.stdin)
    PersonalSettings.objects.update(has_begun=False)
    Provider.objects.filter(name=PROVIDER).delete()
    Server.objects.filter(name=SERVER).delete()
    if state := wanted.get("model"):
        provider = Provider.objects.create(name=PROVIDER, base_url="https://x.example/v1")
        LanguageModel.objects.create(
            provider=provider, name="large", check_state=state, check_error="The key is wrong."
        )
    if state := wanted.get("server"):
        address = "https://x.example/mcp"
        Server.objects.create(name=SERVER, url=address, transport="http", check_state=state)
    if password := wanted.get("member"):
        User.objects.create_user(MEMBER, password=password)
    sys.stdout.write(json.dumps({}))


if __name__ == "__main__":
    main()
