"""Second factors as admins see them."""

from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User

from audit.models import Action
from audit.recording import record
from db.users import AnyUser
from tokens.second_factor import FACTORS


def users_with_factor(keys: list[int]) -> set[int]:
    """Those of the users with these keys who have a second factor."""
    rows = Authenticator.objects.filter(user_id__in=keys, type__in=FACTORS)
    return set(rows.values_list("user_id", flat=True))


def remove_all(actor: AnyUser | None, user: User) -> bool:
    """For who lost theirs: whether there was one. Whoever calls this knows the person otherwise."""
    count, _ = Authenticator.objects.filter(user=user).delete()
    if count:
        record(Action.FACTOR_REMOVED, actor, user, factor="all")
    return bool(count)
