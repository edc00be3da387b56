"""Pages of a trace that need to know conversations and models.

code       a recorded request as a curl command or Python program
prompt     the prompt text that a chat template renders of a request
fork_*     starting a conversation from a round
live_turn  the text of a running turn
branch     which branch of its conversation a turn belongs to
"""
