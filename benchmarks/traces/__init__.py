"""A database full of traces, to measure pages with."""
