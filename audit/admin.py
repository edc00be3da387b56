from django.contrib import admin

from audit.models import Event
from db.admin import FixedAdmin


@admin.register(Event)
class EventAdmin(FixedAdmin):
    """The audit log, read-only."""

    list_display = ("when", "action", "actor_name", "door", "address", "target_type", "target_name")
    list_filter = ("door", "when")
    search_fields = ("actor_name", "address", "target_name")
    date_hierarchy = "when"
    show_full_result_count = False
    deletable = False
