"""Full-text search in traces, for Chinese as for English, the same on both databases.

`texts` collects a trace's `document` from `extracts` of its payloads, `index` stores it with its
words (`tokens`), `reindexing` renews what older rules stored. `query` reads what a person typed,
`matching` finds the traces, `snippets` the place in one.
"""
