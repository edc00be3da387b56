"""The list of traces: filters, search, orders, and actions on selected traces.

- `views`, `urls`: the page
- `trace_filter`: the filter, as the query string has it
- `filter_options`: options of the filters
- `conditions`: conditions of a filter, each with its index
- `query`: which traces match, page by page
- `orders`: orders of the list
- `rows`: a trace as a row
- `actions`, `action_views`: deletion and export of selected traces
"""
