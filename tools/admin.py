"""Servers and their tools in Django's admin, to search and filter; pages of the UI change them."""

from django.contrib import admin

from db.admin import FixedAdmin
from tools.encryption import EncryptedTextField
from tools.models import LocalTool, Server, ServerTool

# What is encrypted is shown to nobody: it is set on the pages of servers.
SECRETS = [f.name for f in Server._meta.fields if isinstance(f, EncryptedTextField)]


@admin.register(Server)
class ServerAdmin(FixedAdmin):
    list_display = ("name", "transport", "address", "enabled", "check_state", "last_contact")
    list_filter = ("transport", "enabled", "check_state", "era")
    search_fields = ("name", "command", "url", "server_name", "last_error")
    exclude = SECRETS
    # Nothing but the switch: the page of the UI checks what it saves.
    changeable = ("enabled",)


@admin.register(ServerTool)
class ServerToolAdmin(FixedAdmin):
    list_display = ("name", "server", "description", "enabled")
    list_filter = ("server", "enabled")
    search_fields = ("name", "description", "server__name")
    list_select_related = ("server",)
    changeable = ("enabled",)


@admin.register(LocalTool)
class LocalToolAdmin(FixedAdmin):
    list_display = ("name", "enabled", "policy")
    list_filter = ("enabled", "policy")
    changeable = ("enabled", "policy")
    exclude = ("id",)
