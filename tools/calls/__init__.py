"""Running one tool call, on the worker's loop.

arguments    the model's text to checked arguments; what is left out of them, with a note
execution    a local function or an MCP session, and always a result
slots        the threads of the `tools` worker, shared by users
"""
