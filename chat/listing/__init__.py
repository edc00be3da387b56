"""The page that finds and organises a user's conversations.

- `filters`: what the address asks for
- `page`: the conversations that fit, or that a search finds
- `views`: the page, the actions, the tags that can be chosen, the search within a conversation
"""
