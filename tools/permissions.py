"""What of tools is for admins, and by which permission; see `tracing.permissions`."""

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Q

from languages.later import later
from tracing.permissions import holds, holds_within

AnyUser = User | AnonymousUser

CHANGE_SERVER = "tools.change_server"
ADD_PROGRAM = "tools.add_program"
CHANGE_LOCAL_TOOL = "tools.change_localtool"

MEANINGS = {
    CHANGE_SERVER: later(
        "register, change, test and delete MCP servers by URL for everybody, those of private "
        "networks too; use the servers that are for admins"
    ),
    ADD_PROGRAM: later(
        "register programs on this machine (stdio servers), which is as much as a shell here and "
        "with it everything; and all that tools.change_server is"
    ),
    CHANGE_LOCAL_TOOL: later("switch the built-in tools, and say what their calls need"),
}


def may_change_servers(user: AnyUser) -> bool:
    """Servers by URL, for everybody. Who may add programs may do this as well."""
    return holds(user, CHANGE_SERVER) or may_add_programs(user)


def may_add_programs(user: AnyUser) -> bool:
    """Stdio servers: any command, which is a shell on this machine."""
    return holds(user, ADD_PROGRAM)


def may_own_servers(user: AnyUser) -> bool:
    """Whether this user may register servers: who may for all, and everyone where the operator
    says so."""
    return bool(settings.USER_SERVERS or may_change_servers(user))


def changes_servers(user: AnyUser) -> Q:
    """`may_change_servers` within a statement, which then needs no further one."""
    return holds_within(user, CHANGE_SERVER, ADD_PROGRAM)
