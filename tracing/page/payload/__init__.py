"""The reader of payloads of any size, part by part.

- `views`: the pages of one payload
- `reader`: the part that a page opens at
- `parts`: where parts begin and what they show
- `text_matches`: search in a payload
"""
