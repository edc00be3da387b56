"""Faults of the running product: its processes, its Redis and its sockets are killed under it.

`product` runs it, `browser` is a client after docs/protocol.md that keeps what a tab keeps,
`ledger` reads what the database has in the end, `scribe` is an MCP server that counts what it did.
"""
