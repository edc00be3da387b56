"""Servers and their tools in Django's admin, to search and filter; pages of the UI change them."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from tools.encryption import EncryptedTextField
from tools.models import LocalTool, Server, ServerTool

# What is encrypted is shown to nobody: it is set on the pages of servers.
SECRETS = [f.name for f in Server._meta.fields if isinstance(f, EncryptedTextField)]


@admin.register(Server)
class ServerAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic only in the stubs
    list_display = ("name", "transport", "address", "enabled", "check_state", "last_contact")
    list_filter = ("transport", "enabled", "check_state", "era")
    search_fields = ("name", "command", "url", "server_name", "last_error")
    exclude = SECRETS

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Everything but the switch: the page of the UI checks what it saves."""
        names = [field.name for field in Server._meta.fields]
        return [name for name in names if name not in (*SECRETS, "enabled")]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


@admin.register(ServerTool)
class ServerToolAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic only in the stubs
    list_display = ("name", "server", "description", "enabled")
    list_filter = ("server", "enabled")
    search_fields = ("name", "description", "server__name")
    list_select_related = ("server",)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [field.name for field in ServerTool._meta.fields if field.name != "enabled"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


@admin.register(LocalTool)
class LocalToolAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic only in the stubs
    list_display = ("name", "enabled", "policy")
    list_filter = ("enabled", "policy")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return ["name"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False
