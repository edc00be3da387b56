"""Values that every part of `tools` shares; they know no rows and open no connections.

advice          what to do about a server's failure, by its kind
call            `CallContext` and `ToolResult`
folders         a folder that a sandboxed command sees beside the workspace
questions       what a server asks a person, and the answer
secrets         which environment variables and headers are secret
server_config   how to reach one MCP server
timing          how long the parts of a call took
tool            a tool that a model can call
"""
