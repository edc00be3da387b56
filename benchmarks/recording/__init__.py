"""What recording costs: CPU a span and growth of the database, over conversations of some lengths.

conversation    the messages of a conversation, the same in every run
events          a response as server-sent events, in pieces as they arrive
writing         a conversation through the recorder, with the calls that the engine makes
growth          the size of the database
measuring       the figures of one conversation
"""
