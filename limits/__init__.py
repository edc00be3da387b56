"""What bounds input, memory, counts, depth and time, in one place. Imports nothing of ours.

web, chat, files, turns, models, replay, tools, mcp, sandbox, traces, trace_pages, export,
processes     the limits of one area each: constants whose annotations say what they bound
table         what a limit says of itself
areas         all of them
words, page   as docs/operations.md shows them; `python -m limits` writes that section
"""
