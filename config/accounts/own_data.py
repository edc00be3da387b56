"""What the audit log has of a person: for `chat.own_data`, by the setting `SIGN_IN_LOG`."""

from django.contrib.auth.models import User

from audit.models import SIGN_IN_ACTIONS, Event


def log(user: User) -> list[dict[str, object]]:
    """What the person did, and attempts to sign in under their name, newest first."""
    return [
        {
            "when": one.when.isoformat(),
            "action": one.action,
            "door": one.door,
            "address": one.address or "",
            "target_type": one.target_type,
            "target_id": one.target_id,
            "target_name": one.target_name,
            "detail": one.detail,
        }
        for one in Event.objects.of_person(user)
    ]


def forget(user: User) -> int:
    """Deletes the entries of sign-ins under the person's name; how many. What they did stays, and
    what was done to their account, as that of a deleted account, without names and addresses."""
    count = Event.objects.of_person(user).filter(action__in=SIGN_IN_ACTIONS).delete()[0]
    nobody = f"deleted account {user.pk}"
    Event.objects.filter(actor=user).update(actor_name=nobody, address=None)
    own_account = Event.objects.filter(target_type="user", target_id=str(user.pk))
    own_account.update(target_name=nobody)
    return count
