"""Base class of admin pages for rows that only the program creates."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest


class FixedAdmin(admin.ModelAdmin):
    """An admin page that adds no rows. Columns in `changeable` can be changed, those in `exclude`,
    such as secrets, are hidden, all others are read-only. Rows can be deleted if `deletable`. All
    of it requires Django's permissions."""

    changeable: ClassVar[tuple[str, ...]] = ()
    deletable: ClassVar[bool] = True

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if not self.changeable:
            return super().get_readonly_fields(request, obj)
        hidden = {*self.changeable, *(self.exclude or ())}
        return [field.name for field in self.opts.fields if field.name not in hidden]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return bool(self.changeable) and bool(super().has_change_permission(request, obj))

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.deletable and bool(super().has_delete_permission(request, obj))
