"""What the chat adds to the pages of a trace, which knows nothing of conversations.

code       a request as curl or Python
prompt     the text that a chat template makes of a request
fork_*     a conversation of one's own from a point of this one
live_turn  the text of a turn that is still running
"""
