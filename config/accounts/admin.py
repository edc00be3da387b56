from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.contrib.auth.models import User
from django.http import HttpRequest

from config.accounts import names
from config.accounts.models import AuditEntry

# Nothing is sent by e-mail, so there are no addresses to look after.
admin.site.unregister(EmailAddress)


class NewUserForm(AdminUserCreationForm):  # type: ignore[type-arg]  # generic only in the stubs
    """A user whose name cannot be taken for another's."""

    def clean_username(self) -> str:
        name: str = super().clean_username()
        if name:  # none if it is taken
            names.check(name)
        return name


class UserForm(UserChangeForm):  # type: ignore[type-arg]  # generic only in the stubs
    """The same where a name is changed; one that stays is not judged."""

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        if name != self.initial.get("username"):
            names.check(name, except_for=self.instance)
        return name


admin.site.unregister(User)


@admin.register(User)
class PeopleAdmin(UserAdmin):  # type: ignore[type-arg]  # generic only in the stubs
    """Django's own page, with our rule for names."""

    add_form = NewUserForm
    form = UserForm


@admin.register(AuditEntry)
class AuditEntryAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic only in the stubs
    """To read only."""

    list_display = ("when", "action", "username", "address")
    list_filter = ("action", "when")
    search_fields = ("username", "address")
    date_hierarchy = "when"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, entry: AuditEntry | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, entry: AuditEntry | None = None) -> bool:
        return False
