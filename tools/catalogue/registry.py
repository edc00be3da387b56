"""Which tools there are: the local ones and those that the registered servers listed.

Reads rows, never connects: a server that is down or slow costs a chat nothing here.
"""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from django.db.models import F

from tools.catalogue import switches
from tools.local import READ_RESULT
from tools.models import ServerTool
from tools.permissions import AnyUser
from tools.values.tool import Tool

__all__ = ["READ_RESULT", "Tool", "find", "is_offered", "offered", "usable", "waits_for_review"]


def offered(
    patterns: Sequence[str] | None,
    user: AnyUser | None = None,
    servers: Sequence[str] | None = None,
) -> list[Tool]:
    """The tools whose name matches a pattern (`sqlite-*`), of MCP servers those of `servers` only;
    for `None` all of them, but those that have to be named (`opt_in`)."""
    return [tool for tool in usable(user) if is_offered(tool, patterns, servers)]


def is_offered(
    tool: Tool, patterns: Sequence[str] | None, servers: Sequence[str] | None = None
) -> bool:
    """Whether these patterns and servers, as a preset has them, offer this tool."""
    if servers is not None and tool.server and tool.server not in servers:
        return False
    if patterns is None:
        return not tool.opt_in
    return any(fnmatchcase(tool.name, glob) for glob in patterns)


def usable(user: AnyUser | None = None) -> list[Tool]:
    """Everything that `user` may use; without a user (in the terminal) what is there at all.

    Local tools first, then servers by name, their tools in the order in which they were listed.
    """
    return [*switches.usable(), *(row.tool for row in _offered_to(user))]


def find(name: str, user: AnyUser | None = None) -> Tool | None:
    """The tool that `user` may use as `name`."""
    if name == READ_RESULT.name:
        return READ_RESULT
    if local := switches.find(name):
        return local
    if user is None:
        row = ServerTool.objects.callable().filter(offered_name=name).first()
    else:
        row = ServerTool.objects.named(name, user)
    return row.tool if row else None


def waits_for_review(name: str, user: AnyUser | None = None) -> bool:
    """Whether this tool is there for `user`, but changed since an admin saw it, or nobody has seen
    it yet."""
    rows = ServerTool.objects.filter(enabled=True, server__enabled=True)
    enabled = rows if user is None else rows.for_user(user)
    return enabled.exclude(hash=F("approved_hash")).filter(offered_name=name).exists()


def _offered_to(user: AnyUser | None) -> list[ServerTool]:
    tools = ServerTool.objects
    return list(tools.callable()) if user is None else tools.callable_by(user)
