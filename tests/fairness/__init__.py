"""Two users at once: what one does, and what the other notices of it.

`loads.py` has what one user does, a function each; `newcomer.py` the other's three measures;
`seeding.py` the rows; `hostile_server.py` an MCP server. One product for all tests.
"""
