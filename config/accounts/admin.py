from allauth.account.models import EmailAddress
from django.contrib import admin
from django.http import HttpRequest

from config.accounts.models import AuditEntry

# Nothing is sent by e-mail, so there are no addresses to look after.
admin.site.unregister(EmailAddress)


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
