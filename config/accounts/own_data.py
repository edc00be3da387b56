"""What the audit log has of a person: for `chat.own_data`, by the setting `SIGN_IN_LOG`."""

from collections.abc import Iterator

from django.contrib.auth.models import User
from django.db.models import CASCADE

from audit.models import SIGN_IN_ACTIONS, Event
from audit.recording import UNNAMED
from config.accounts.invitations.model import Invitation

# Ids in one statement.
_AT_ONCE = 500


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
    what was done to their account and to what was theirs, as that of a deleted account, without
    names and addresses."""
    count = Event.objects.of_person(user).filter(action__in=SIGN_IN_ACTIONS).delete()[0]
    nobody = f"deleted account {user.pk}"
    Event.objects.filter(actor=user).update(actor_name=nobody, address=None)
    own_account = Event.objects.filter(target_type="user", target_id=str(user.pk))
    own_account.update(target_name=nobody)
    for kind, keys in _own_things(user):
        for start in range(0, len(keys), _AT_ONCE):
            named = Event.objects.filter(target_type=kind)
            named.filter(target_id__in=keys[start : start + _AT_ONCE]).update(target_name="")
    Invitation.objects.filter(used_by=user).update(email="")
    return count


def _own_things(user: User) -> Iterator[tuple[str, list[str]]]:
    """The kinds and ids of what goes with the account and has a name in the log; the invitation
    that it was made by; and its webhooks, whose names are hosts, also those deleted before."""
    for relation in User._meta.related_objects:
        model = relation.related_model
        kind = model._meta.model_name or ""
        is_named = kind not in UNNAMED and Event.objects.filter(target_type=kind).exists()
        if relation.on_delete is CASCADE and is_named:
            column = "public_id" if hasattr(model, "public_id") else "pk"
            rows = model._base_manager.filter(**{relation.field.name: user})
            yield kind, [str(key) for key in rows.values_list(column, flat=True)]
    invitations = Invitation.objects.filter(used_by=user)
    yield "invitation", [str(key) for key in invitations.values_list("public_id", flat=True)]
    webhooks = Event.objects.filter(target_type="webhook", actor=user, detail__for_everybody=False)
    yield "webhook", list(webhooks.values_list("target_id", flat=True).distinct().order_by())
