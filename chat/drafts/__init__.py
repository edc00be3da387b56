"""Drafts of messages, kept on the server for all tabs and devices of a person.

saving        reading a draft, and changing it by the revision that the tab has read
views         the two addresses: of a conversation, and of a new one
"""
