"""The authorization server for programs that connect to `/mcp` (OAuth 2.1, as the authorization of
MCP 2025-11-25 and 2026-07-28 asks for it).

| Module | What it has |
|---|---|
| `metadata` | what the server and the resource `/mcp` tell of themselves (RFC 8414, RFC 9728) |
| `clients` | programs: registration (RFC 7591), documents, redirect addresses |
| `documents` | reading the document that describes a program, guarded |
| `requests` | an authorization request, parsed and checked |
| `consent` | the page on which a person allows or denies |
| `endpoints` | tokens, registration, revocation (RFC 7009) |

What is remembered, and every change of it, is in `tokens.programs`.
"""
