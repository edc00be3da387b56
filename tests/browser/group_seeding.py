"""A member of a group of the owner's: JSON in, JSON out, in the product's settings.

In comes `{"name": …}`; out comes the Cookie header of the member.
"""

import json
import sys

from django.contrib.auth.models import Group, User

from benchmarks.seeding import django_is_set_up
from tests.signing_in import session_cookie

assert django_is_set_up

GROUP = "Quokka keepers"


def main() -> None:
    wanted = json.load(sys.stdin)
    group, _ = Group.objects.get_or_create(name=GROUP)
    if wanted.get("leaves"):
        group.user_set.remove(User.objects.get(username=wanted["name"]))
        sys.stdout.write("{}")
        return
    owner = User.objects.filter(is_superuser=True).order_by("pk").first()
    member, _ = User.objects.get_or_create(username=wanted["name"])
    assert owner is not None
    group.user_set.add(owner, member)
    json.dump(session_cookie(member), sys.stdout)


if __name__ == "__main__":
    main()
