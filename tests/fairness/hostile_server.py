"""A stdio MCP server: as `asks` its tool asks a person with a form whose patterns take for ever, as
`hangs` it answers nothing. Standard library only, so that it starts at once.
"""

import json
import sys
from typing import Any

SLOW = {"pattern": "^(a+)+$"}
FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {
            "type": "string",
            "not": SLOW,
            "anyOf": [SLOW],
            "if": SLOW,
            "items": SLOW,
            "allOf": [{"$ref": "#"}] * 20,
            "patternProperties": {"^(a+)+$": SLOW},
            "propertyNames": SLOW,
        },
        "number": {"type": "integer"},
    },
    "required": ["name", "number"],
}
TOOL = {"name": "ask", "description": "Asks.", "inputSchema": {"type": "object"}}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "hostile", "version": "1"},
}
ASKED = {"method": "elicitation/create", "params": {"message": "Who?", "requestedSchema": FORM}}


def main(behaviour: str) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if behaviour == "hangs" or "method" not in message or "id" not in message:
            continue
        if message["method"] == "tools/call":
            _write({"id": f"question-{message['id']}", **ASKED})
        else:
            _write({"id": message["id"], **_answer(message["method"])})


def _answer(method: str) -> dict[str, Any]:
    results = {"initialize": HELLO, "tools/list": {"tools": [TOOL]}}
    if method in results:
        return {"result": results[method]}
    return {"error": {"code": -32601, "message": f"no method {method}"}}


def _write(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
