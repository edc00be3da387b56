"""All limits on input, memory, counts, depth and time. Imports nothing of the product.

web, chat, search, files, projects, sharing, turns, models, replay, tools, mcp, gateway, sandbox,
placement, traces, trace_pages, export, api, processes
              the limits of one area each: constants, described by their annotations
table         `Limit`, the annotation: unit, what it bounds, what happens beyond it
areas         all modules of limits, in the order of the documentation
words         a value with its unit as text
page          the section "Limits" of docs/operations.md; `python -m limits` writes it
"""
