from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.contrib.auth.models import Group, Permission, User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import keep_lazy_text
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_noop

import chat.permissions
import tools.permissions
import tracing.permissions
from chat.own_data.deleting import delete_all
from config.accounts import names, rank
from config.accounts.group_admin import GIVEN, MEMBERS, NEEDED, GroupForm, had_by, only_had_by
from languages.later import later
from tracing.formatting.text import visible

# Names of permissions of our own, which migrations have stored in English.
gettext_noop("Can add programs (stdio servers): as much as a shell")
gettext_noop("Can view the dashboard and the metrics")

# Addresses, second factors and linked accounts have their doors on the page of people; the sign-in
# provider is set up by environment.
admin.site.unregister([EmailAddress, Authenticator, SocialAccount, SocialApp, SocialToken])
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


@keep_lazy_text
def _meanings(head: str) -> SafeString:
    paragraphs = format_html_join("", "<p><b>{}</b>: {}.</p>", MEANINGS.items())
    return format_html("<p>{}</p>{}", head, paragraphs)


def meanings() -> SafeString:
    """A paragraph per permission: what it allows on the application's own pages. In the language of
    whoever reads it."""
    return _meanings(later("With these somebody may do more on the application's pages:"))


# Of members and the like in a row of the list of groups.
SHOWN_NAMES = 10

VERBS = {"add": later("add"), "change": later("change"), "delete": later("delete")}
VERBS["view"] = later("view")


def shown_permission(permission: Permission) -> str:
    """As “Chat | provider | change”; of one of our own, what its name says."""
    kind = permission.content_type
    verb, _, of = permission.codename.partition("_")
    words = VERBS.get(verb) if of == kind.model else None
    return f"{kind.app_labeled_name} | {words or gettext(permission.name)}"


def _with_shown_permissions(field: Any) -> Any:
    """The field of a form; one of permissions shows them in the reader's language."""
    if field is not None and field.queryset.model is Permission:
        field.label_from_instance = shown_permission
    return field


def _shown(rows: QuerySet[Any]) -> str:
    """The names of some, and how many more there are."""
    names = [visible(str(row)) for row in rows[: SHOWN_NAMES + 1]]
    shown = ", ".join(names[:SHOWN_NAMES])
    return f"{shown}, …" if len(names) > SHOWN_NAMES else shown or "-"


@admin.register(Group)
class ExplainedGroupAdmin(GroupAdmin):
    """Who is in a group, what it has, and what its staff may do."""

    form = GroupForm
    list_display = ("name", *NEEDED)
    fieldsets = (
        (None, {"fields": ("name", MEMBERS)}),
        (later("What it has"), {"fields": tuple(GIVEN)}),
        (later("Permissions"), {"fields": ("permissions",), "description": meanings()}),
    )

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **options: Any
    ) -> Any:
        form: Any = super().get_form(request, obj, change, **options)

        class AllowedForm(form):  # type: ignore[misc]  # made at run time
            def __init__(self, *args: Any, **given: Any) -> None:
                super().__init__(*args, **given)
                self.allow(request.user)

        return AllowedForm

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        is_below = obj is None or rank.may_give(request.user, obj)
        return is_below and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Not of a group with a member who has more: it would lose what the group gives."""
        is_below = obj is None or (
            rank.may_give(request.user, obj)
            and not rank.who_has_more(request.user, obj.user_set.all())
        )
        return is_below and super().has_delete_permission(request, obj)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        form.give(request.user)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """What only these groups have would be for everybody without them: then none is deleted."""
        rows, counts, needed, protected = super().get_deleted_objects(objs, request)
        above = [one for one in objs if not self.has_delete_permission(request, one)]
        return rows, counts, needed, [*protected, *only_had_by(objs), *above]

    @admin.display(description=later("members"))
    def members(self, group: Group) -> str:
        return _shown(had_by(group, MEMBERS))

    @admin.display(description=later("assistants"))
    def given_presets(self, group: Group) -> str:
        return _shown(had_by(group, "given_presets"))

    @admin.display(description=later("models"))
    def given_models(self, group: Group) -> str:
        return _shown(had_by(group, "given_models"))

    @admin.display(description=later("MCP servers"))
    def given_servers(self, group: Group) -> str:
        return _shown(had_by(group, "given_servers"))

    @admin.display(description=later("skills"))
    def given_skills(self, group: Group) -> str:
        return _shown(had_by(group, "given_skills"))

    def formfield_for_manytomany(self, db_field: Any, request: Any = None, **options: Any) -> Any:
        return _with_shown_permissions(
            super().formfield_for_manytomany(db_field, request, **options)
        )


class NewUserForm(AdminUserCreationForm):
    """Adds a user; the name must not be confusable with another user's."""

    def clean_username(self) -> str:
        name: str = super().clean_username()
        if name:  # None if another user has it
            names.check(name)
        return name


class UserForm(UserChangeForm):
    """Changes a user; a name is checked only if it changes."""

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        if name != self.initial.get("username"):
            names.check(name, except_for=self.instance)
        return name


@admin.register(User)
class PeopleAdmin(UserAdmin):
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

    def formfield_for_manytomany(self, db_field: Any, request: Any = None, **options: Any) -> Any:
        """What whoever changes somebody has to give."""
        field = _with_shown_permissions(
            super().formfield_for_manytomany(db_field, request, **options)
        )
        if field is not None and request is not None:
            of_groups = db_field.name == "groups"
            givable = rank.givable_groups if of_groups else rank.givable_permissions
            field.queryset = givable(request.user)
        return field

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        is_below = obj is None or rank.may_change(request.user, obj)
        return is_below and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        is_below = obj is None or rank.may_change(request.user, obj)
        return is_below and super().has_delete_permission(request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = super().get_readonly_fields(request, obj)
        return fields if request.user.is_superuser else (*fields, "is_superuser")

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """The accounts alone: what belongs to them, which nobody deletes by itself here, goes too,
        and may be more than a page can list."""
        names = [visible(user.get_username()) for user in objs]
        above = [visible(str(user)) for user in rank.who_has_more(request.user, objs)]
        return names, {self.opts.verbose_name_plural: len(names)}, set(), above

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        """With the files of the account; what it wrote in conversations of others stays there."""
        delete_all(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        for user in queryset:
            delete_all(user)

    def formfield_for_dbfield(self, db_field: Any, request: Any, **options: Any) -> Any:
        field = super().formfield_for_dbfield(db_field, request, **options)
        if db_field.name == "is_staff" and field is not None:
            field.help_text = STAFF
        return field
