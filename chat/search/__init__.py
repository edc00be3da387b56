"""Full-text search in conversations, with the words and terms of the search in traces
(`tracing.search`).

Writing:

- `triggers`: the database notes each message and title that is written
- `texts`: reads the texts that are noted
- `index`: stores their words
- `indexing`: the worker's job, which takes the notes

Reading:

- `matching`: the messages and titles that match
- `results`: conversations by relevance, with the text around the matches
- `within`: the matches in one conversation

A text has a key: a message's is its primary key, a title's the negative of its conversation's.
"""
