from typing import Any

from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.contrib.auth.models import Group, User
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

import chat.permissions
import tools.permissions
import tracing.permissions
from config.accounts import names
from config.accounts.models import AuditEntry
from db.admin import FixedAdmin
from languages.later import later

# No e-mail is sent, so the admin has no page of addresses.
admin.site.unregister(EmailAddress)
admin.site.unregister([User, Group])

STAFF = later(
    "Opens this admin, and nothing in it: what somebody may do here and on the pages of the "
    "application is a matter of permissions, which count for staff only. Superusers have them all."
)
MEANINGS = {
    **chat.permissions.MEANINGS,
    **tools.permissions.MEANINGS,
    **tracing.permissions.MEANINGS,
}


def meanings() -> SafeString:
    """A paragraph per permission: what it allows on the application's own pages."""
    head = format_html("<p>{}</p>", "With these somebody may do more on the application's pages:")
    return head + format_html_join("", "<p><b>{}</b>: {}.</p>", MEANINGS.items())


@admin.register(Group)
class ExplainedGroupAdmin(GroupAdmin):
    fieldsets = ((None, {"fields": ("name", "permissions"), "description": meanings()}),)


class NewUserForm(AdminUserCreationForm):  # type: ignore[type-arg]  # generic only in the stubs
    """Adds a user; the name must not be confusable with another user's."""

    def clean_username(self) -> str:
        name: str = super().clean_username()
        if name:  # None if another user has it
            names.check(name)
        return name


class UserForm(UserChangeForm):  # type: ignore[type-arg]  # generic only in the stubs
    """Changes a user; a name is checked only if it changes."""

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        if name != self.initial.get("username"):
            names.check(name, except_for=self.instance)
        return name


@admin.register(User)
class PeopleAdmin(UserAdmin):  # type: ignore[type-arg]  # generic only in the stubs
    """Django's page of users, with the check of names and the meaning of each permission."""

    add_form = NewUserForm
    form = UserForm
    fieldsets = tuple(
        (
            title,
            {**options, "description": meanings()} if "is_staff" in options["fields"] else options,
        )
        for title, options in UserAdmin.fieldsets or ()
    )

    def formfield_for_dbfield(self, db_field: Any, request: Any, **options: Any) -> Any:
        field = super().formfield_for_dbfield(db_field, request, **options)
        if db_field.name == "is_staff" and field is not None:
            field.help_text = STAFF
        return field


@admin.register(AuditEntry)
class AuditEntryAdmin(FixedAdmin):
    """The sign-in log, read-only."""

    list_display = ("when", "action", "username", "address")
    list_filter = ("action", "when")
    search_fields = ("username", "address")
    date_hierarchy = "when"
    deletable = False
