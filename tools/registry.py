"""Which tools there are: the local ones and those that the registered servers listed.

Reads rows, never connects: a server that is down or slow costs a chat nothing here.
"""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from django.db.models import F, QuerySet

from tools import local
from tools.local import READ_RESULT
from tools.models import ServerTool
from tools.tool import Tool

__all__ = ["READ_RESULT", "Tool", "find", "offered", "waits_for_review"]


def offered(patterns: Sequence[str] | None) -> list[Tool]:
    """The tools whose name matches a pattern (`sqlite-*`); all of them for `None`.

    Local tools first, then servers by name, their tools in the order in which they were listed.
    """
    tools = [*local.TOOLS, *(row.as_tool() for row in ServerTool.objects.callable())]
    if patterns is None:
        return tools
    return [tool for tool in tools if any(fnmatchcase(tool.name, glob) for glob in patterns)]


def find(name: str) -> Tool | None:
    """The tool that was offered as `name`."""
    for tool in (*local.TOOLS, READ_RESULT):
        if tool.name == name:
            return tool
    rows = ServerTool.objects.callable()
    return next((row.as_tool() for row in _named(rows, name)), None)


def waits_for_review(name: str) -> bool:
    """Whether this tool is there, but changed since an admin saw it, or nobody has seen it yet."""
    enabled = ServerTool.objects.filter(enabled=True, server__enabled=True)
    rows = enabled.exclude(hash=F("approved_hash")).select_related("server")
    return any(True for _ in _named(rows, name))


def _named(rows: QuerySet[ServerTool], name: str) -> Iterator[ServerTool]:
    # A tool's name may contain hyphens, and so may a server's: every split is tried at once.
    cuts = [place for place, letter in enumerate(name) if letter == "-"]
    found = rows.filter(name__in=[name[cut + 1 :] for cut in cuts])
    return (row for row in found if row.offered_name == name)
