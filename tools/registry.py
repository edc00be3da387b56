"""Which tools there are: the local ones and those that the registered servers listed.

Reads rows, never connects: a server that is down or slow costs a chat nothing here.
"""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache
from types import SimpleNamespace
from typing import Any

from django.db.models import F

from tools import local
from tools.local import READ_RESULT
from tools.models import ServerTool, ServerToolQuerySet, may_own_servers
from tools.tool import Tool
from tracing.prepared import Given, Select

__all__ = ["READ_RESULT", "Tool", "find", "offered", "waits_for_review"]


def offered(patterns: Sequence[str] | None, user: Any = None) -> list[Tool]:
    """The tools whose name matches a pattern (`sqlite-*`); all of them for `None`.

    Only those of servers that `user` may use; without a user (in the terminal) those of all.
    Local tools first, then servers by name, their tools in the order in which they were listed.
    """
    tools = [*local.TOOLS, *(row.as_tool() for row in _offered_to(user))]
    if patterns is None:
        return [tool for tool in tools if not tool.opt_in]
    return [tool for tool in tools if any(fnmatchcase(tool.name, glob) for glob in patterns)]


def find(name: str, user: Any = None) -> Tool | None:
    """The tool that was offered to `user` as `name`."""
    for tool in (*local.TOOLS, READ_RESULT):
        if tool.name == name:
            return tool
    row = _callable(user).filter(offered_name=name).first()
    return row.as_tool() if row else None


def waits_for_review(name: str, user: Any = None) -> bool:
    """Whether this tool is there for `user`, but changed since an admin saw it, or nobody has seen
    it yet."""
    rows = ServerTool.objects.filter(enabled=True, server__enabled=True)
    enabled = rows if user is None else rows.for_user(user)
    return enabled.exclude(hash=F("approved_hash")).filter(offered_name=name).exists()


def _offered_to(user: Any) -> list[ServerTool]:
    if user is None:
        return list(_callable(None))
    return _callable_for(user.is_staff, may_own_servers(user)).all(user=user.pk)


@cache
def _callable_for(is_staff: bool, may_own: bool) -> Select[ServerTool]:
    """Prepared for every user of this kind; a kind is all that the statement depends on."""
    someone = SimpleNamespace(pk=Given("user"), is_staff=is_staff)
    return Select(lambda: _callable(someone))


def _callable(user: Any) -> ServerToolQuerySet:
    rows = ServerTool.objects.callable()
    return rows if user is None else rows.for_user(user)
