"""What of a conversation the next request holds.

history           the messages on the path from the root to the latest one
request_context   which of them are sent, and in which form
compacting        making room: placeholders, a summary by a call of its own
summary_attempts  which summaries a turn has tried to write
"""
