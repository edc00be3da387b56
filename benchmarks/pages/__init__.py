"""Server time of the pages of traces, in a database that `benchmarks.traces` has filled.

cases     the pages and their users
report    `results/pages.json` and `pages.md`
"""
