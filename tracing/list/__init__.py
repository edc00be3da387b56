"""The list of traces: filters, search, orders, and acts on what was chosen."""
