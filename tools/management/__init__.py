"""MCP servers from the terminal: `manage.py mcp` (`commands.mcp`).

conformance   a run for the public conformance suite of MCP clients
"""
