"""Tokens of programs in Django's admin: whose, for what, and whether they still count."""

from typing import Any

from django.contrib import admin
from django.db import transaction
from django.http import HttpRequest

from audit.models import Action
from audit.recording import record
from db.admin import FixedAdmin
from db.users import signed_in_user
from languages.later import later
from tokens.models import Token


@admin.register(Token)
class TokenAdmin(FixedAdmin):
    """The secret is shown to nobody, and its hash neither."""

    list_display = (
        "name",
        "user",
        "shown_scopes",
        "origin",
        "created",
        "last_use",
        "ends",
        "is_on",
    )
    list_filter = ("origin", "created")
    list_select_related = ("user",)
    search_fields = ("name", "beginning", "user__username", "user__email")
    fields = (
        *("public_id", "name", "user", "beginning", "shown_scopes", "origin", "created"),
        *("last_use", "expires", "revoked"),
    )
    actions = ("revoke",)
    show_full_result_count = False
    deletable = False

    @admin.display(description=later("scopes"))
    def shown_scopes(self, token: Token) -> str:
        return ", ".join(token.scopes)

    @admin.display(description=later("expires"), ordering="expires", empty_value="-")
    def ends(self, token: Token) -> Any:
        return token.expires

    @admin.display(description=later("usable"), boolean=True)
    def is_on(self, token: Token) -> bool:
        return Token.objects.usable().filter(pk=token.pk).exists()

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("tokens.change_token"))

    @admin.action(description=later("Revoke the chosen tokens"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: Any) -> None:
        actor = signed_in_user(request)
        for token in queryset:
            with transaction.atomic():
                if token.revoke():
                    record(Action.TOKEN_REVOKED, actor, token)
