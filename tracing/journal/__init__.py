"""What the trace pages and exports read of a trace's rows.

- `trace_rounds`: rounds with their generations, calls and compactions
- `subagents`: the turns that calls began, and their figures
- `time_segments`: what the time of a span was spent on
- `phases`: what a running trace does or waits for
- `waits`: when a call waited for a person
- `actions`: what people did to a turn
- `cost`: the price of a generation
"""
