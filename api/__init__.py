"""What other programs talk to.

| Module | What it is |
|---|---|
| `authentication` | `authenticate`: from a request's bearer token to who it acts for |
| `problems` | Refusals as RFC 9457 has them, for every part of the API |
| `models` | `IdempotencyKey`, `ProgramTurn`: what programs asked for, and were answered |

| Package | What it is |
|---|---|
| `openai` | `/v1`: for every client of OpenAI's API |
| `rest` | `/api`: the resources, described by OpenAPI |
| `mcp_server` | `/mcp`: Roundtrip as an MCP server |
| `oauth` | The authorization server for programs that connect to `/mcp` |
| `gateway` | `/gateway/<provider>/v1/…`: passes calls on to providers, and records them |
"""
