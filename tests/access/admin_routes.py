"""The admin's URLs: each page of each model is for who may see, or change, its rows."""

from functools import cache

from tests.access.routes import ADMINS, STAFF, SUPERUSER, VIEWER, Route, Rule, admin_routes
from tracing.permissions import VIEW_TRACE

# Rows of which the admin lets nobody delete any; and of which it lets nobody make more.
KEPT = {
    *("chat_attachment", "chat_project", "chat_projectfile", "chat_skill", "chat_cassettefile"),
    *("chat_import", "chat_dataarchive", "chat_accountdeletion", "chat_playgroundrun"),
    *(
        "chat_webhookdelivery",
        "chat_quotarule",
        "tools_signin",
        "tools_reading",
        "tools_trial",
        "tokens_token",
    ),
}
NOT_ADDED = KEPT | {
    "tools_account",
    "chat_conversation",
    "chat_turn",
    "chat_message",
    "chat_sharedlink",
    "tools_server",
    "tools_servertool",
    "tools_localtool",
    "tracing_trace",
    "tracing_span",
    "audit_event",
}
NOT_DELETED = KEPT | {"tracing_span", "audit_event"}
STAFF_403 = (("staff", 403), ("viewer", 403))
STAFF_404 = (("staff", 404), ("viewer", 404))
NOT_FOR_STAFF = tuple((who, 403) for who in ("staff", "holder", "superuser", "viewer"))
SITE = {
    "index": Rule(STAFF, get=200, refused=302),
    "login": Rule(STAFF, get=302, refused=403, anonymous=302),
    "logout": Rule(STAFF, post=200, refused=302),
    "password_change": Rule(STAFF, get=200, refused=302),
    "password_change_done": Rule(STAFF, get=200, refused=302),
    "autocomplete": Rule(frozenset(), get=200, refused=302, but=NOT_FOR_STAFF),
    "jsi18n": Rule(STAFF, get=200, refused=302, is_private=False),
    "view_on_site": Rule(STAFF, of="site", get=302, refused=302),
    "app_list": Rule(
        ADMINS, of="site", get=200, refused=302, permission="chat.view_preset", but=STAFF_404
    ),
    "auth_user_password_change": Rule(
        ADMINS, of="auth_user", get=200, refused=302, permission="auth.change_user", but=STAFF_403
    ),
    "": Rule(STAFF, of="site", get=404, refused=302),
}


@cache
def admin_rules() -> tuple[tuple[Route, Rule], ...]:
    return tuple((route, _rule(route)) for route in admin_routes())


def _rule(route: Route) -> Rule:
    name = route.name.partition(":")[2]
    if (name in SITE and "object_id" not in route.arguments) or name == "view_on_site":
        return SITE[name]
    if not name:  # leads to the page of the row
        _, app, model, *_ = route.pattern.split("/")
        return Rule(STAFF, of=f"{app}_{model}", get=302, refused=302)
    row, _, page = name.rpartition("_")
    app, _, model = row.partition("_")
    if page == "add":
        # Django wants the right to change users as well, which is the right to become one.
        who = frozenset() if row in NOT_ADDED else SUPERUSER if row == "auth_user" else ADMINS
        but = tuple((name, 403) for name in STAFF - who)
        return Rule(who, get=200, refused=302, permission=f"{app}.add_{model}", but=but)
    if page == "delete" and row in NOT_DELETED:
        return Rule(frozenset(), row, get=200, refused=302, but=NOT_FOR_STAFF)
    verb = "delete" if page == "delete" else "view"
    permission = f"{app}.{verb}_{model}"
    who = ADMINS | VIEWER if permission == VIEW_TRACE else ADMINS
    return Rule(who, row, get=200, refused=302, permission=permission, but=STAFF_403)
