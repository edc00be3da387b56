"""Ended traces counted into rows of an hour, a day, a week and all time.

- `ended_traces`: take the traces that ended and are not counted yet
- `trace_summary`: the figures of one trace
- `counters`: the content of a row, as a value that adds up
- `metrics`: add counters to those rows
- `histogram`: buckets and percentiles
"""
