"""Tools that run in this process, as plain typed functions, in the order in which they are offered.

schema                 from a typed function to a tool
agent                  tools that the engine runs itself: todo, subagents, skills
calculate              the calculator: its parser; `arithmetic`, `series` its numbers, `effort` its
                       bounds
get_current_datetime   the clock
web_search             web search; `search_service` asks the operator's service
fetch_page             a page of the web: `page_request` asks for it, `page_charset` decodes it,
                       `web_pages` makes text of it
read_result            more of a result that was cut
"""

from dataclasses import replace
from typing import Any

from tools.local.agent import AGENT_TOOLS
from tools.local.calculate import calculate
from tools.local.fetch_page import fetch_page
from tools.local.get_current_datetime import get_current_datetime
from tools.local.read_result import read_result
from tools.local.schema import local_tool
from tools.local.search_service import missing as no_search_service
from tools.local.web_search import web_search
from tools.values.tool import Tool
from tools.workspace.files import edit_file, list_files, read_file, write_file
from tools.workspace.shell import bash, description
from tools.workspace.shell import missing as no_sandbox

# What can change files and run programs: an admin has to want it, and a person is asked each time.
_RISKY: dict[str, Any] = {"policy": "ask", "opt_in": True, "off_by_default": True}
_BASH = local_tool(bash, missing=no_sandbox, **_RISKY)
WORKSPACE_TOOLS = (
    replace(_BASH, description=description() or _BASH.description),
    local_tool(read_file, idempotent=True, **_RISKY),
    local_tool(write_file, **_RISKY),
    local_tool(edit_file, **_RISKY),
    local_tool(list_files, idempotent=True, **_RISKY),
)
# For the hash of a server's tool, which says what a person has allowed: these change with the
# program alone.
SHIPPED = "shipped"
TOOLS: tuple[Tool, ...] = tuple(
    replace(tool, hash=SHIPPED)
    for tool in (
        local_tool(calculate, idempotent=True),
        local_tool(get_current_datetime, idempotent=True),
        local_tool(web_search, idempotent=True, missing=no_search_service),
        local_tool(fetch_page, idempotent=True, off_by_default=True),
        *AGENT_TOOLS,
        *WORKSPACE_TOOLS,
    )
)
# Offered only where there is something to read on.
READ_RESULT = local_tool(read_result, idempotent=True)
