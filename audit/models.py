import uuid
from datetime import timedelta
from typing import Self

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.db.models import Q
from django.utils import timezone

from languages.later import later
from limits.audit import MAX_AUDIT_DAYS


class Action(models.TextChoices):
    """What was done. The column has no choices: a new action needs no migration."""

    SIGNED_IN = "signed_in", later("Signed in")
    LINK_USED = "link_used", later("Signed in by link")
    FAILED = "sign_in_failed", later("Wrong user name or password")
    THROTTLED = "sign_in_throttled", later("Refused: too many attempts to sign in")
    SIGNED_OUT = "signed_out", later("Signed out")
    PROVIDER_FAILED = "provider_failed", later("Sign-in at the provider failed")

    ROW_ADDED = "row_added", later("Added in the admin")
    ROW_CHANGED = "row_changed", later("Changed in the admin")
    ROW_DELETED = "row_deleted", later("Deleted in the admin")

    DATA_EXPORTED = "data_exported", later("Exported all own data")
    CONVERSATIONS_EXPORTED = "conversations_exported", later("Exported conversations")
    IMPORTED = "imported", later("Imported conversations")
    ACCOUNT_DELETION_ASKED = "account_deletion_asked", later("Deleted their account")

    LINK_MADE = "link_made", later("Shared a conversation by a link")
    LINK_REVOKED = "link_revoked", later("Revoked a shared link")
    SHARED_WITH_GROUP = "shared_with_group", later("Shared a conversation with a group")
    GROUP_SHARE_ENDED = "group_share_ended", later("Ended sharing with a group")

    PUBLISHED = "published", later("Published for everybody")
    UNPUBLISHED = "unpublished", later("Took back from everybody")
    ADDED = "added", later("Added")
    CHANGED = "changed", later("Changed")
    DELETED = "deleted", later("Deleted")
    SWITCHED = "switched", later("Switched on or off")
    GIVEN = "given", later("Changed whom something is for")
    MEMBERS_CHANGED = "members_changed", later("Changed who is in a group")

    TOOLS_APPROVED = "tools_approved", later("Approved tools of a server")

    TRACE_READ = "trace_read", later("Read a trace of somebody else")
    TRACES_EXPORTED = "traces_exported", later("Exported traces")
    TRACES_DELETED = "traces_deleted", later("Deleted traces")

    CALL_APPROVED = "call_approved", later("Approved a tool call")
    CALL_DENIED = "call_denied", later("Denied a tool call")

    WEBHOOK_ADDED = "webhook_added", later("Added a webhook")
    WEBHOOK_CHANGED = "webhook_changed", later("Changed a webhook")
    WEBHOOK_DELETED = "webhook_deleted", later("Deleted a webhook")
    WEBHOOK_FAILED = "webhook_failed", later("A webhook was switched off after failures")

    LOG_EXPORTED = "log_exported", later("Exported the audit log")

    TOKEN_MADE = "token_made", later("Made an API token")
    TOKEN_REVOKED = "token_revoked", later("Revoked an API token")

    LIMIT_SET = "limit_set", later("Set a limit")
    LIMIT_REMOVED = "limit_removed", later("Removed a limit")

    PROGRAM_ALLOWED = "program_allowed", later("Connected a program")
    PROGRAM_DISCONNECTED = "program_disconnected", later("Disconnected a program")
    PROGRAM_TOKEN_REUSED = (
        "program_token_reused",
        later("A program was disconnected: its code or token came twice"),
    )

    INVITED = "invited", later("Invited somebody")
    INVITATION_ACCEPTED = "invitation_accepted", later("Accepted an invitation")
    INVITATION_REVOKED = "invitation_revoked", later("Revoked an invitation")

    ROLE_CHANGED = "role_changed", later("Changed a role")
    GROUPS_CHANGED = "groups_changed", later("Changed somebody's groups")
    ACCOUNT_DEACTIVATED = "account_deactivated", later("Deactivated an account")
    ACCOUNT_ACTIVATED = "account_activated", later("Activated an account")
    ACCOUNT_DELETED = "account_deleted", later("Had an account deleted")
    ACCOUNT_EXPORTED = "account_exported", later("Took the data of an account")
    ACCOUNT_TRANSFERRED = "account_transferred", later("Gave what somebody made to another person")
    SESSIONS_ENDED = "sessions_ended", later("Signed somebody out everywhere")
    SIGN_IN_LINK_MADE = "sign_in_link_made", later("Made a sign-in link")

    FACTOR_ADDED = "factor_added", later("Set up a second factor")
    FACTOR_REMOVED = "factor_removed", later("Removed a second factor")
    RECOVERY_CODES_MADE = "recovery_codes_made", later("Made recovery codes")
    PASSWORD_CHANGED = "password_changed", later("Changed a password")
    ACCOUNT_LINKED = "account_linked", later("Linked an account at the sign-in provider")
    ACCOUNT_UNLINKED = "account_unlinked", later("Unlinked an account at the sign-in provider")


class Door(models.TextChoices):
    """By what somebody came in."""

    PAGE = "page", later("Page")
    ADMIN = "admin", later("Admin")
    API = "api", later("API")
    GATEWAY = "gateway", later("Gateway")
    MCP = "mcp", "MCP"
    SHELL = "shell", later("Command line")
    WORKER = "worker", later("Worker")


# What of the log is about signing in: of a person whose account is deleted these rows go too.
SIGN_IN_ACTIONS = (
    Action.SIGNED_IN,
    Action.LINK_USED,
    Action.FAILED,
    Action.THROTTLED,
    Action.SIGNED_OUT,
)


class EventQuerySet(models.QuerySet["Event"]):
    def of_person(self, user: User) -> Self:
        """What this person did, and attempts to sign in under their name: nobody else has it, in
        whatever case it was typed."""
        attempts = Q(actor=None, action__in=SIGN_IN_ACTIONS)
        return self.filter(Q(actor=user) | attempts & Q(actor_name__iexact=user.get_username()))

    def expired(self) -> Self:
        days = settings.AUDIT_RETENTION_DAYS or MAX_AUDIT_DAYS
        return self.filter(when__lt=timezone.now() - timedelta(days=days))


class Event(models.Model):
    """An act of a person or a program. Never changed; deleted by its own retention.

    The names of actor and target are kept as they were, since both may be deleted or renamed.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    when = models.DateTimeField(default=timezone.now)
    action = models.CharField(max_length=40)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    actor_name = models.CharField(max_length=150, blank=True)
    door = models.CharField(max_length=10, choices=Door.choices, default=Door.PAGE)
    address = models.GenericIPAddressField(null=True, blank=True)
    # A word for the kind of thing, its public id (or key), its name.
    target_type = models.CharField(max_length=40, blank=True)
    target_id = models.CharField(max_length=64, blank=True)
    target_name = models.CharField(max_length=200, blank=True)
    detail = models.JSONField(default=dict)

    objects = EventQuerySet.as_manager()

    class Meta:
        ordering = ("-when", "-pk")
        indexes = (
            # The list of admins, newest first, and the deletion of expired rows.
            models.Index(fields=["when"], name="audit_event_by_time"),
            # What one person did.
            models.Index(fields=["actor", "when"], name="audit_event_by_actor"),
            # The filter by action.
            models.Index(fields=["action", "when"], name="audit_event_by_action"),
            # The filter by door.
            models.Index(fields=["door", "when"], name="audit_event_by_door"),
            # What was done to one kind of thing, or to one thing.
            models.Index(fields=["target_type", "when"], name="audit_event_by_kind"),
            models.Index(fields=["target_id", "when"], name="audit_event_by_target"),
            # The filter by a name that may be of nobody, such as one that was typed.
            models.Index(fields=["actor_name", "when"], name="audit_event_by_name"),
        )

    def __str__(self) -> str:
        return f"{self.actor_name}: {self.action} {self.target_name}".rstrip()
