"""Tools that run in this process: plain typed functions, in the order in which they are offered."""

from tools.local.agent import AGENT_TOOLS
from tools.local.calculate import calculate
from tools.local.get_current_datetime import get_current_datetime
from tools.local.read_result import read_result
from tools.local.schema import local_tool
from tools.tool import Tool

TOOLS: tuple[Tool, ...] = (
    local_tool(calculate, idempotent=True),
    local_tool(get_current_datetime, idempotent=True),
    *AGENT_TOOLS,
)
# Offered only where there is something to read on.
READ_RESULT = local_tool(read_result, idempotent=True)
