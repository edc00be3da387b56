"""What people uploaded: names, sizes and owners, never contents."""

from typing import ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from chat.models import Attachment, Project, ProjectFile
from languages.later import later
from tracing.admin_paging import CappedPaginator
from tracing.admin_search import SearchedAdmin


class UploadedAdmin(SearchedAdmin):
    """They go with the conversation, the project or the account that has them."""

    paginator = CappedPaginator
    show_full_result_count = False
    list_per_page = 50
    ordering: ClassVar[tuple[str, ...]] = ("-id",)
    deletable = False


@admin.register(Attachment)
class AttachmentAdmin(UploadedAdmin):
    list_display = ("name", "media_type", "size", "owner", "is_sent", "created")
    list_filter = ("media_type", "created")
    list_select_related = ("owner",)
    search_fields = ("name", "owner__username", "owner__email")
    search_help_text = later(
        "Words of the file's name, the owner's name or e-mail, or the id of an attachment, a "
        "message or a conversation"
    )
    id_fields = ("public_id", "message__public_id", "message__conversation__public_id")
    fields = ("public_id", "name", "media_type", "size", "owner", "is_sent", "created")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Attachment]:
        rows: QuerySet[Attachment] = super().get_queryset(request)
        return rows.defer("content")

    @admin.display(description=later("sent"), boolean=True)
    def is_sent(self, attachment: Attachment) -> bool:
        return attachment.message_id is not None


@admin.register(Project)
class ProjectAdmin(UploadedAdmin):
    """Without its instructions, which are between its owner and the models."""

    list_display = ("name", "owner", "created", "archived")
    list_filter = ("created",)
    list_select_related = ("owner",)
    search_fields = ("name", "owner__username", "owner__email")
    fields = ("public_id", "name", "owner", "created", "archived")


@admin.register(ProjectFile)
class ProjectFileAdmin(UploadedAdmin):
    list_display = ("name", "media_type", "size", "project", "created")
    list_filter = ("media_type", "created")
    list_select_related = ("project",)
    search_fields = ("name", "project__name", "project__owner__username")
    id_fields = ("public_id", "project__public_id")
    fields = ("public_id", "name", "media_type", "size", "project", "created")

    def get_queryset(self, request: HttpRequest) -> QuerySet[ProjectFile]:
        rows: QuerySet[ProjectFile] = super().get_queryset(request)
        return rows.defer("content")
