"""A trace read from its rows, for pages and exports.

- `trace_rounds`: rounds with their generations, calls and compactions
- `subagents`: the traces of subagents, and their figures
- `time_segments`: the time of a span as segments
- `phases`: what a running trace does or waits for
- `waits`: a call's waits for a person's answer
- `actions`: the actions of people on a turn
- `cost`: the cost of a generation
"""
