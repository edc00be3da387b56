"""Servers and their tools in Django's admin, to search and filter; pages of the UI change them."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from db.admin import FixedAdmin
from languages.later import later
from tools.encryption import EncryptedTextField
from tools.models import Account, LocalTool, Reading, Server, ServerTool, SignIn, Trial
from tracing.admin_jobs import JobAdmin

# What is encrypted is shown to nobody: it is set on the pages of servers.
SECRETS = [f.name for f in Server._meta.fields if isinstance(f, EncryptedTextField)]


class HasEra(admin.SimpleListFilter):
    """By the protocol that a server was found to speak; it has none before its first test."""

    title = later("era")
    parameter_name = "era"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        found = Server.objects.exclude(era="").order_by("era").values_list("era", flat=True)
        return [(era, era) for era in found.distinct()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Server]) -> QuerySet[Server]:
        return queryset.filter(era=self.value()) if self.value() else queryset


@admin.register(Server)
class ServerAdmin(FixedAdmin):
    list_display = ("name", "transport", "address", "enabled", "check_state", "last_contact")
    list_filter = ("transport", "enabled", "check_state", HasEra)
    search_fields = ("name", "command", "url", "server_name", "last_error")
    exclude = SECRETS
    # Nothing but the switch: the page of the UI checks what it saves.
    changeable = ("enabled",)


@admin.register(Account)
class AccountAdmin(FixedAdmin):
    """Who is connected to which server; what they are connected with is shown to nobody."""

    list_display = ("user", "server", "connected", "expires")
    list_filter = ("server", "connected")
    list_select_related = ("user", "server")
    search_fields = ("user__username", "user__email", "server__name")
    fields = ("user", "server", "connected", "expires")


@admin.register(SignIn)
class SignInAdmin(JobAdmin):
    """Connections of accounts that are on their way, without their addresses."""

    list_display = ("user", "server", *JobAdmin.list_display)
    list_select_related = ("user", "server")
    search_fields = ("server__name", *JobAdmin.search_fields)
    fields = ("public_id", "user", "server", "came_back", *JobAdmin.of_job)


@admin.register(Reading)
class ReadingAdmin(JobAdmin):
    """Resources and prompts of servers that people asked for, without what they are."""

    list_display = ("kind", "user", "server", *JobAdmin.list_display)
    list_filter = ("kind", *JobAdmin.list_filter)
    list_select_related = ("user", "server")
    search_fields = ("server__name", *JobAdmin.search_fields)
    fields = ("public_id", "kind", "user", "server", *JobAdmin.of_job)


@admin.register(Trial)
class TrialAdmin(JobAdmin):
    """Trials of servers and tools, without arguments and results."""

    list_display = ("kind", "user", "server", "tool", *JobAdmin.list_display)
    list_filter = ("kind", *JobAdmin.list_filter)
    list_select_related = ("user", "server")
    search_fields = ("server__name", "tool", *JobAdmin.search_fields)
    fields = ("public_id", "kind", "user", "server", "tool", *JobAdmin.of_job)


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
