"""The tools of `/mcp`.

| Module | Its tools |
|---|---|
| `traces` | `search_traces`, `read_trace`, `list_errors` |
| `rounds` | `read_round`, `read_stage` |
| `comparison` | `compare_rounds` |
| `playground` | `run_playground` |
| `turns` | `list_assistants`, `start_turn`, `wait_for_turn` |

A new tool also has a scope, in `api.mcp_server.scopes`.
"""

from api.mcp_server.tool import AnyTool
from api.mcp_server.tools import comparison, playground, rounds, traces, turns

TOOLS: tuple[AnyTool, ...] = (
    traces.SEARCH,
    traces.ERRORS,
    traces.READ,
    rounds.READ_ROUND,
    rounds.READ_STAGE,
    comparison.COMPARE,
    playground.RUN,
    turns.LIST_ASSISTANTS,
    turns.START,
    turns.WAIT,
)
