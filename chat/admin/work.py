"""Jobs that people asked for, and what limits them."""

from django.contrib import admin

from chat.models import (
    AccountDeletion,
    DataArchive,
    Import,
    PlaygroundRun,
    QuotaRule,
    WebhookDelivery,
)
from db.admin import FixedAdmin
from tracing.admin_jobs import JobAdmin


@admin.register(Import)
class ImportAdmin(JobAdmin):
    list_display = ("name", "user", "step", *JobAdmin.list_display, "imported")
    list_filter = ("step", *JobAdmin.list_filter)
    fields = (
        *("public_id", "name", "user", "size", "step", "bytes_read", "imported", "repeated"),
        *JobAdmin.of_job,
    )
    search_fields = ("name", *JobAdmin.search_fields)


@admin.register(DataArchive)
class DataArchiveAdmin(JobAdmin):
    list_display = ("public_id", "user", "size", *JobAdmin.list_display, "expires")
    fields = ("public_id", "user", "size", "done", "total", "expires", *JobAdmin.of_job)


@admin.register(AccountDeletion)
class AccountDeletionAdmin(JobAdmin):
    """Receipts: they name nobody."""

    list_display = ("public_id", *JobAdmin.list_display)
    list_select_related = ()
    search_fields = ("error",)
    fields = ("public_id", *JobAdmin.of_job)


@admin.register(PlaygroundRun)
class PlaygroundRunAdmin(JobAdmin):
    """Without the request, which is in the trace."""

    list_display = ("number", "model", *JobAdmin.list_display)
    list_select_related = ("model",)
    search_fields = ("model__name", "error")
    id_fields = ("trace__public_id", "playground__public_id")
    fields = ("number", "model", *JobAdmin.of_job)


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(JobAdmin):
    """Without what was sent and answered."""

    list_display = ("event", "status", "attempts", *JobAdmin.list_display)
    list_select_related = ()
    search_fields = ("event", "webhook__owner__username")
    id_fields = ("public_id", "webhook__public_id")
    fields = ("public_id", "event", "status", "attempts", "due", *JobAdmin.of_job)


@admin.register(QuotaRule)
class QuotaRuleAdmin(FixedAdmin):
    """The limits that are in force; their own page changes them."""

    list_display = ("scope", "group", "user", "kind", "amount", "changed")
    list_filter = ("scope", "kind")
    list_select_related = ("group", "user")
    search_fields = ("group__name", "user__username")
    deletable = False
