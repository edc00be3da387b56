"""Tool calls of a round.

- `tool_calls`: a call with its arguments and result
- `mcp_frames`: the MCP frames of a call
- `sandbox_facts`: limits and use of the sandbox
"""
