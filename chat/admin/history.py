"""Conversations and their turns for admins to find and delete; links that people made."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Count, Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from chat.commands import conversations
from chat.llm.messages import text_of
from chat.models import Conversation, Message, SharedLink, Turn
from chat.presentation.text import one_line
from chat.sharing import links
from db.users import signed_in_user
from languages.later import later
from tracing.admin_search import SearchedAdmin
from tracing.formatting.text import visible


class HistoryAdmin(SearchedAdmin):
    """What people and models said: to be read and deleted, never changed."""

    show_full_result_count = False
    list_per_page = 50
    ordering: ClassVar[tuple[str, ...]] = ("-id",)


@admin.register(Conversation)
class ConversationAdmin(HistoryAdmin):
    list_display = ("shown_title", "owner", "model", "turns", "created", "updated")
    list_filter = ("updated", "model")
    list_select_related = ("owner", "model__provider")
    search_fields = ("title", "owner__username", "owner__email")
    search_help_text = later(
        "Words of the title or of what was said, the owner's name or e-mail, or the id of a "
        "conversation, a turn or a trace"
    )
    id_fields = ("public_id", "turns__public_id", "archive__traces__public_id")
    trace_field = "archive__traces"
    ordering = ("-updated", "-id")
    fields = ("public_id", "shown_title", "owner", "model", "created", "updated")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Conversation]:
        rows: QuerySet[Conversation] = super().get_queryset(request)
        return rows.annotate(turn_count=Count("turns"))

    def delete_model(self, request: HttpRequest, obj: Conversation) -> None:
        conversations.delete(Conversation.objects.filter(pk=obj.pk))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Conversation]) -> None:
        conversations.delete(Conversation.objects.filter(pk__in=queryset.values("pk")))

    @admin.display(description=later("title"), ordering="title")
    def shown_title(self, conversation: Conversation) -> str:
        return visible(str(conversation))

    @admin.display(description=later("turns"), ordering="turn_count")
    def turns(self, conversation: Any) -> int:
        count: int = conversation.turn_count
        return count


@admin.register(Turn)
class TurnAdmin(HistoryAdmin):
    list_display = ("asked", "status", "user", "model", "rounds", "tokens", "created", "trace_page")
    list_filter = ("status", "created", "model")
    list_select_related = ("question", "user", "model", "trace")
    search_fields = ("error", "user__username", "user__email", "conversation__title")
    search_help_text = later(
        "Words of the error or of what was said, the user's name or e-mail, the conversation's "
        "title, or the id of a turn, a trace or a conversation"
    )
    id_fields = ("public_id", "trace__public_id", "conversation__public_id")
    trace_field = "trace"

    @admin.display(description=later("question"))
    def asked(self, turn: Turn) -> str:
        return _beginning(turn.question) if turn.question else "-"

    @admin.display(description=later("tokens"))
    def tokens(self, turn: Turn) -> str:
        return f"{turn.tokens_in:,} → {turn.tokens_out:,}"

    @admin.display(description=later("trace"))
    def trace_page(self, turn: Turn) -> SafeString | str:
        return _link(turn.trace.get_absolute_url(), gettext("Trace")) if turn.trace else "-"


@admin.register(Message)
class MessageAdmin(HistoryAdmin):
    list_display = ("beginning", "role", "conversation_page", "created")
    list_filter = ("role", "created")
    list_select_related = ("conversation",)
    search_fields = (
        "body",
        "conversation__title",
        "conversation__owner__username",
        "conversation__owner__email",
    )
    search_help_text = later(
        "Words of the message or of the conversation's title, its owner's name or e-mail, or the "
        "id of a message, a turn or a conversation"
    )
    id_fields = ("public_id", "turn__public_id", "conversation__public_id")
    fields = ("public_id", "role", "conversation", "turn", "whole", "created")

    @admin.display(description=later("message"))
    def beginning(self, message: Message) -> str:
        return _beginning(message)

    @admin.display(description=later("text"))
    def whole(self, message: Message) -> str:
        return visible(text_of(message.body.get("content")))

    @admin.display(description=later("conversation"))
    def conversation_page(self, message: Message) -> SafeString:
        page = reverse("admin:chat_conversation_change", args=[message.conversation_id])
        return _link(page, visible(str(message.conversation)))


@admin.register(SharedLink)
class SharedLinkAdmin(admin.ModelAdmin):
    """Who shares with whom, without addresses, titles and contents; links can be revoked."""

    list_display = ("public_id", "owner", "audience", "is_open", "created", "ends", "opened")
    list_filter = ("audience", "is_snapshot", "with_traces", "created")
    list_select_related = ("owner",)
    search_fields = ("public_id", "owner__username")
    actions = ("revoke",)
    fields = (
        *("public_id", "owner", "audience", "is_snapshot", "is_single", "with_traces", "size"),
        *("created", "ends", "revoked", "opened", "last_opened"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[SharedLink]:
        rows: QuerySet[SharedLink] = super().get_queryset(request)
        return rows.defer("packed")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        return self.fields

    @admin.display(description=later("open"), boolean=True)
    def is_open(self, link: SharedLink) -> bool:
        return not link.is_over

    @admin.action(description=later("Revoke the chosen links"), permissions=["change"])
    def revoke(self, request: HttpRequest, queryset: Any) -> None:
        links.revoke(queryset, signed_in_user(request))


def _beginning(message: Message) -> str:
    return one_line(text_of(message.body.get("content")), 80) or "-"


def _link(url: str, text: str) -> SafeString:
    return format_html('<a href="{}">{}</a>', url, text)
