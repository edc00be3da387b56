"""Tokens of a request: what they are spent on.

- `context_budget`: the parts of a request and their sizes
- `message_kinds`: to which part a message belongs
- `context_window`: the size of the context window and who states it
- `prompt_cache`: where the request differs from the one before
"""
