"""View models: what the chat's templates show, worked out from rows in a fixed number of queries.

`turns` reads a page of turns, `calls` and `values` show tool calls, `sidebar` groups conversations,
`text` cuts and mends text.
"""
