"""A stdio MCP server with one tool, `write`, that appends a line to a file: a side effect to count.
Calls run side by side.

The first call of a line takes `seconds`, every further one answers at once. Standard library only,
so that it starts at once.
"""

import json
import sys
import threading
import time
from pathlib import Path
from typing import Any

SCHEMA = {
    "type": "object",
    "properties": {"line": {"type": "string"}, "seconds": {"type": "number"}},
    "required": ["line"],
}
TOOL = {"name": "write", "description": "Writes a line.", "inputSchema": SCHEMA}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "scribe", "version": "1"},
}

ONE_AT_A_TIME = threading.Lock()


def main(file: Path) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            threading.Thread(target=_respond, args=(message, file), daemon=True).start()


def _respond(message: dict[str, Any], file: Path) -> None:
    answer = {"jsonrpc": "2.0", "id": message["id"], **_answer(message, file)}
    with ONE_AT_A_TIME:
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _answer(message: dict[str, Any], file: Path) -> dict[str, Any]:
    match message["method"]:
        case "initialize":
            return {"result": HELLO}
        case "tools/list":
            return {"result": {"tools": [TOOL]}}
        case "tools/call":
            _write(file, **message["params"]["arguments"])
            return {"result": {"content": [{"type": "text", "text": "written"}]}}
        case method:
            return {"error": {"code": -32601, "message": f"no method {method}"}}


def _write(file: Path, line: str, seconds: float = 0) -> None:
    with ONE_AT_A_TIME:
        written = file.read_text().splitlines() if file.exists() else []
        with file.open("a") as stream:
            stream.write(f"{line}\n")
    if line not in written:
        time.sleep(seconds)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
