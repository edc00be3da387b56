"""Django's admin, every change of which has a row in the audit log."""

from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from audit.models import Action
from audit.recording import record
from config.admin_order import ordered


class AuditedSite(admin.AdminSite):
    """Registers each page of rows with `Audited`, whoever wrote it; lists them in our order."""

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        return ordered(super().get_app_list(request, app_label))

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        given = admin_class or admin.ModelAdmin
        audited = type(given.__name__, (Audited, given), {"__module__": given.__module__})
        super().register(model_or_iterable, audited, **options)


class Audited(admin.ModelAdmin):  # type: ignore[type-arg]  # Django has none
    """What Django notes in the history of a row is recorded too: names of fields, no values."""

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        record(Action.ROW_ADDED, request.user, obj)
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        record(Action.ROW_CHANGED, request.user, obj, changes=_names(message))
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        for one in queryset:
            record(Action.ROW_DELETED, request.user, one)
        return super().log_deletions(request, queryset)


def _names(message: Any) -> list[str]:
    """The names of changed fields and of rows within the form, in Django's list of changes."""
    if not isinstance(message, list):
        return [str(message)] if message else []
    return [
        name
        for change in message
        for about in change.values()
        for name in (about.get("fields") or [about.get("name", "")])
        if name
    ]
