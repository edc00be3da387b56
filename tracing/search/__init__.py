"""Full-text search in traces, of Chinese as of English, the same on both databases.

Writing:

- `sources`, `rows`: read the rows of several traces together
- `texts`: collects the document of a trace
- `extracts`: the text of one payload
- `document`: a document with the origins of its parts
- `tokens`: splits text into words
- `index`: stores documents and words
- `deleted_words`: notes what was deleted from an index
- `reindexing`: renews what older rules indexed

Reading:

- `query`: parses what a person typed
- `matching`: the traces that match
- `snippets`: the text around a match
"""
