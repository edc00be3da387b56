"""A stdio MCP server with state in memory: its tool `count` answers how often it was called."""

import json
import sys
from typing import Any

TOOL = {"name": "count", "description": "Counts.", "inputSchema": {"type": "object"}}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "counting", "version": "1"},
}


def main() -> None:
    count = 0
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        count += message["method"] == "tools/call"
        answer = {"jsonrpc": "2.0", "id": message["id"], **_answer(message["method"], count)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _answer(method: str, count: int) -> dict[str, Any]:
    match method:
        case "initialize":
            return {"result": HELLO}
        case "tools/list":
            return {"result": {"tools": [TOOL]}}
        case "tools/call":
            return {"result": {"content": [{"type": "text", "text": f"count {count}"}]}}
    return {"error": {"code": -32601, "message": f"no method {method}"}}


if __name__ == "__main__":
    main()
