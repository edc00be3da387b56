"""Roundtrip as an MCP server: streamable HTTP at `/mcp`, of both eras of the protocol.

`application` and `gate` are loaded with the web process; all else, and the SDK, with the first
request that has a valid token.

| Module | What it has |
|---|---|
| `application` | the ASGI door of `/mcp`: who comes in, and how many at once |
| `gate` | Host, Origin and token of a request, and what it is refused with |
| `scopes` | the scope that each tool needs |
| `serving` | the SDK's server, started with the first request |
| `tool` | what a tool is, its result, its errors |
| `tools` | the tools; `tools/__init__.py` lists them |
| `reading` | traces and rounds for the tools, by the one door for access |
| `texts` | recorded texts for a result: cut, with a note |
| `resources`, `prompts` | traces as resources; “debug this trace” |
"""
